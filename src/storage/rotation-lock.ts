import type { Pool } from "pg";

const ROTATION = 7_305_224;

/** Held by one process at a time, until it is disposed of or the process is gone; null when another has it. */
export async function tryRotationLock(pool: Pool): Promise<AsyncDisposable | null> {
  const client = await pool.connect();
  const { rows } = await client.query<{ entered: boolean }>("select pg_try_advisory_lock($1) as entered", [ROTATION]);
  if (rows[0]?.entered !== true) {
    client.release();
    return null;
  }
  return {
    async [Symbol.asyncDispose]() {
      await client.query("select pg_advisory_unlock($1)", [ROTATION]);
      client.release();
    },
  };
}
