import { stat } from "node:fs/promises";
import { type Migration, readMigrations } from "../storage/migrations.ts";
import type { Header, Manifest } from "./format.ts";
import { invalidBackup } from "./invalid-backup.ts";
import { readBackup } from "./read-backup.ts";

export interface CheckedBackup {
  path: string;
  header: Header;
  manifest: Manifest;
  /** Of the master keys, if they are in it, as they stand in a key file. */
  keyFile: string | null;
}

/** Reads the whole file, so that nothing is touched for one that cannot be restored. */
export async function checkBackup(path: string, signal: AbortSignal): Promise<CheckedBackup> {
  await requireFile(path);
  let header: Header | null = null;
  let keyFile: string | null = null;
  let manifest: Manifest | null = null;
  for await (const part of readBackup(path, signal)) {
    if (part.kind === "header") {
      header = part.header;
      requireKnown(path, header, await readMigrations());
    } else if (part.kind === "key file") keyFile = part.text;
    else if (part.kind === "manifest") manifest = part.manifest;
  }
  if (header === null || manifest === null) throw invalidBackup(path, "it is no backup of Errand");
  return { path, header, manifest, keyFile };
}

/** Once to check it, once to restore it; and nobody could break off the wait for a pipe that nobody writes to. */
async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (path === "-" || found?.isFIFO())
    throw invalidBackup(path, "a backup is read twice, which a pipe cannot be. Write it to a file first");
  if (found !== null && !found.isFile()) throw invalidBackup(path, "it is no file");
}

/** Its schema must be one that this code has made, or would have on its way to the newest. */
function requireKnown(path: string, { migrations, errand_version }: Header, known: Migration[]): void {
  const newest = known.at(-1)?.version ?? 0;
  for (const [position, { version, name, checksum }] of migrations.entries()) {
    const ours = known[position];
    if (ours?.version === version && ours.checksum === checksum) continue;
    throw invalidBackup(
      path,
      version > newest
        ? `it was made by a newer Errand (${errand_version}, with ${name}); use that one, or a newer one still`
        : `its schema was made by a migration that this Errand does not have (${name})`,
    );
  }
}
