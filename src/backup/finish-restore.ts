import { migrate } from "../storage/migrations.ts";
import { openClient } from "./open-client.ts";

/** What may be missing for a while: the tables of the job queue, and what the server knows of the rows. */
export async function finishRestore(connectionString: string, signal: AbortSignal): Promise<void> {
  await using connection = await openClient(connectionString, {
    purpose: "restore",
    consequence: "What was restored stays.",
    signal,
  });
  try {
    await migrate(connectionString, { signal: connection.gone });
    await connection.client.query("analyze");
  } catch (error) {
    throw signal.aborted ? signal.reason : connection.explain(error);
  }
}
