import { createHash, type Hash } from "node:crypto";
import { type ArtifactTally, createArtifactTally } from "./artifact-tally.ts";
import { FORMAT_VERSION, type Header, type Manifest, parseHeader, parseManifest } from "./format.ts";
import { invalidBackup } from "./invalid-backup.ts";
import { type ArchiveEntry, readArchive } from "./read-archive.ts";

export type BackupPart =
  | { kind: "header"; header: Header }
  | { kind: "rows"; table: string; data: Buffer }
  | { kind: "key file"; text: string }
  | { kind: "artifact"; executionId: string; artifactId: string; data: Buffer }
  /** Comes last, and only when everything before was as it says. */
  | { kind: "manifest"; manifest: Manifest };

/** Reads a backup from the beginning to the end, and throws as soon as something is not as it was written. */
export async function* readBackup(path: string, signal: AbortSignal): AsyncGenerator<BackupPart> {
  const seen: Seen = { headerSha256: null, tables: new Map(), keyFileSha256: null, artifacts: createArtifactTally() };
  let isOver = false;
  for await (const entry of readArchive(path, signal)) {
    if (isOver) throw invalidBackup(path, "something follows its end");
    if ((seen.headerSha256 === null) !== (entry.kind.kind === "header"))
      throw invalidBackup(path, "it is no backup of Errand");
    const part = toPart(path, entry, seen);
    isOver = part.kind === "manifest";
    yield part;
  }
  if (!isOver) throw invalidBackup(path, "it is cut off");
}

interface Seen {
  headerSha256: string | null;
  tables: Map<string, { hash: Hash; bytes: number }>;
  keyFileSha256: string | null;
  artifacts: ArtifactTally;
}

function toPart(path: string, { name, kind, data }: ArchiveEntry, seen: Seen): BackupPart {
  switch (kind.kind) {
    case "header":
      seen.headerSha256 = digest(data);
      return { kind: "header", header: readHeader(path, data) };
    case "piece":
      noteRows(path, kind.table, data, seen);
      return { kind: "rows", table: kind.table, data };
    case "key file":
      seen.keyFileSha256 = digest(data);
      return { kind: "key file", text: data.toString("utf8") };
    case "artifact":
      seen.artifacts.add(name, data);
      return { ...kind, data };
    case "manifest":
      return { kind: "manifest", manifest: readManifest(path, data, seen) };
  }
}

function readHeader(path: string, data: Buffer): Header {
  const header = parseHeader(data);
  if (header === null) throw invalidBackup(path, "it is no backup of Errand");
  if (header.format_version > FORMAT_VERSION)
    throw invalidBackup(
      path,
      `it was made by a newer Errand (${header.errand_version}), in a way that this one cannot read; use that one`,
    );
  return header;
}

function noteRows(path: string, table: string, data: Buffer, { tables }: Seen): void {
  const known = tables.get(table);
  if (known !== undefined && [...tables.keys()].at(-1) !== table)
    throw invalidBackup(path, "the rows of a table stand in two places");
  const content = known ?? { hash: createHash("sha256"), bytes: 0 };
  content.hash.update(data);
  content.bytes += data.byteLength;
  tables.set(table, content);
}

function readManifest(path: string, data: Buffer, seen: Seen): Manifest {
  const manifest = parseManifest(data);
  if (manifest === null) throw invalidBackup(path, "its manifest cannot be read");
  const difference = findDifference(manifest, seen);
  if (difference !== null) throw invalidBackup(path, `${difference} not as the manifest says: the file is damaged`);
  return manifest;
}

function findDifference(manifest: Manifest, seen: Seen): string | null {
  if (manifest.header_sha256 !== seen.headerSha256) return "its header is";
  if (manifest.key_file_sha256 !== seen.keyFileSha256) return "its key file is";
  const unlisted = [...seen.tables.keys()].find((name) => !manifest.tables.some((table) => table.name === name));
  if (unlisted !== undefined) return `the rows of ${unlisted} are`;
  for (const { name, bytes, sha256 } of manifest.tables) {
    const content = seen.tables.get(name);
    const isSame = (content?.bytes ?? 0) === bytes && (content?.hash ?? createHash("sha256")).digest("hex") === sha256;
    if (!isSame) return `the rows of ${name} are`;
  }
  const { files, bytes, sha256 } = seen.artifacts.sum();
  const told = manifest.artifacts ?? { ...createArtifactTally().sum() };
  return told.files === files && told.bytes === bytes && told.sha256 === sha256 ? null : "its artifacts are";
}

function digest(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
