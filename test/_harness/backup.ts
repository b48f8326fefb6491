import { createWriteStream } from "node:fs";
import { createArchiveWriter, readArchive } from "../../src/backup/archive.ts";
import { checkBackup } from "../../src/backup/read-backup.ts";
import { type RestoreOptions, type RestoreReport, restoreBackup } from "../../src/backup/restore-backup.ts";
import { type BackupOptions, writeBackup } from "../../src/backup/write-backup.ts";
import type { TestDatabase } from "./database.ts";

export const NEVER = new AbortController().signal;

/** Like `errand backup`, by default without artifacts. */
export async function backUpTo(path: string, url: string, more: Partial<BackupOptions> = {}) {
  return writeBackup(
    { stream: createWriteStream(path), staysOpen: false },
    {
      connectionString: url,
      files: null,
      keyFile: null,
      errandVersion: "0.0.0",
      madeAt: new Date(),
      signal: NEVER,
      onProgress: () => {},
      ...more,
    },
  );
}

/** Like `errand restore`. */
export async function restoreFrom(
  path: string,
  url: string,
  more: Partial<RestoreOptions> = {},
): Promise<RestoreReport> {
  const signal = more.signal ?? NEVER;
  return restoreBackup(await checkBackup(path, signal), {
    connectionString: url,
    artifacts: null,
    keepQueued: false,
    beforeCommit: () => {},
    signal,
    onProgress: () => {},
    ...more,
  });
}

/** Copies a backup with entries changed, removed (null) or appended. */
export async function rewriteBackup(
  from: string,
  to: string,
  change: (name: string, data: Buffer) => Buffer | null,
  added: Record<string, Buffer> = {},
): Promise<void> {
  const archive = createArchiveWriter(createWriteStream(to), { signal: NEVER, madeAt: new Date(), staysOpen: false });
  for await (const { name, data } of readArchive(from, NEVER)) {
    const changed = change(name, data);
    if (changed !== null) await archive.add(name, changed);
  }
  for (const [name, data] of Object.entries(added)) await archive.add(name, data);
  await archive.finish();
}

/** Every row of a table as text, sorted; `where` selects some. */
export async function readRows(database: TestDatabase, table: string, where = "true"): Promise<string[]> {
  const rows = await database.query<{ row: string }>(
    `select to_jsonb(t)::text as row from ${table} as t where ${where} order by 1`,
  );
  return rows.map(({ row }) => row);
}

/** The tables of the current schema. */
export async function listTables(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = current_schema() order by 1",
  );
  return rows.map(({ name }) => name);
}
