import pg from "pg";

/** A connection of its own, which a signal cuts: whatever is under way on it then fails, and the server takes it back. */
export async function openClient(
  connectionString: string,
  purpose: "backup" | "restore",
  signal: AbortSignal,
): Promise<AsyncDisposable & { client: pg.Client }> {
  signal.throwIfAborted();
  const name = `errand ${purpose} ${process.pid}`;
  const client = new pg.Client({ connectionString, application_name: name, keepAlive: true });
  // Whoever waits for an answer hears of it.
  client.on("error", () => {});
  const cut = () => void client.end();
  signal.addEventListener("abort", cut);
  const dispose = async () => {
    signal.removeEventListener("abort", cut);
    await client.end();
  };
  try {
    await client.connect();
  } catch (error) {
    await dispose();
    throw error;
  }
  return { client, [Symbol.asyncDispose]: dispose };
}
