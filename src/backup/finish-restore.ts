import { migrate } from "../storage/migrations.ts";
import { openClient } from "./open-client.ts";

/** What may be missing for a while: the tables of the job queue, and what the server knows of the rows. */
export async function finishRestore(connectionString: string): Promise<void> {
  await migrate(connectionString);
  await using connection = await openClient(connectionString, {
    purpose: "restore",
    signal: new AbortController().signal,
  });
  await connection.client.query("analyze");
}
