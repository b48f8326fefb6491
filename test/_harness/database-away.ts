import pg from "pg";
import { expect, inject, vi } from "vitest";
import type { TestDatabase } from "./database.ts";

/** Makes a database unavailable: its connections end, and new ones are refused, or it no longer exists. */
export async function withDatabaseAway(
  { database }: { database: TestDatabase },
  how: "refuses" | "is gone",
  during: () => Promise<void>,
): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  const admin = new pg.Client({ connectionString: inject("serverUrl") });
  await using disposables = new AsyncDisposableStack();
  await admin.connect();
  disposables.defer(() => admin.end());
  await admin.query(`alter database ${name} connection limit 0`);
  disposables.defer(async () => void (await admin.query(`alter database ${name} connection limit -1`)));
  const others = "from pg_stat_activity where datname = $1";
  await admin.query(`select pg_terminate_backend(pid) ${others} and application_name like 'errand%'`, [name]);
  await vi.waitFor(async () => expect((await admin.query(`select 1 ${others}`, [name])).rowCount).toBe(0));
  if (how === "is gone") {
    await admin.query(`alter database ${name} rename to ${name}_away`);
    disposables.defer(async () => void (await admin.query(`alter database ${name}_away rename to ${name}`)));
  }
  await during();
}
