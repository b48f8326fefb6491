import { createHash, type Hash } from "node:crypto";
import { stat } from "node:fs/promises";
import { type Migration, readMigrations } from "../storage/migrations.ts";
import { type ArchiveEntry, readArchive } from "./archive.ts";
import {
  type ArtifactTally,
  createArtifactTally,
  FORMAT_VERSION,
  type Header,
  invalidBackup,
  type Manifest,
  parseHeader,
  parseManifest,
} from "./format.ts";

type BackupPart =
  | { kind: "header"; header: Header }
  | { kind: "rows"; table: string; data: Buffer }
  | { kind: "key file"; text: string }
  | { kind: "artifact"; executionId: string; artifactId: string; data: Buffer }
  /** Comes last, after everything before it was verified. */
  | { kind: "manifest"; manifest: Manifest };

/** Reads a backup from start to end. Throws as soon as something does not match what was written. */
export async function* readBackup(path: string, signal: AbortSignal): AsyncGenerator<BackupPart> {
  const seen: ReadSoFar = {
    headerSha256: null,
    tables: new Map(),
    keyFileSha256: null,
    artifacts: createArtifactTally(),
  };
  let isOver = false;
  for await (const entry of readArchive(path, signal)) {
    if (isOver) throw invalidBackup(path, "there is data after its end");
    if ((seen.headerSha256 === null) !== (entry.kind.kind === "header"))
      throw invalidBackup(path, "it is not an Errand backup");
    const part = toPart(path, entry, seen);
    isOver = part.kind === "manifest";
    yield part;
  }
  if (!isOver) throw invalidBackup(path, "it is truncated");
}

interface ReadSoFar {
  headerSha256: string | null;
  tables: Map<string, { hash: Hash; bytes: number }>;
  keyFileSha256: string | null;
  artifacts: ArtifactTally;
}

function toPart(path: string, { name, kind, data }: ArchiveEntry, seen: ReadSoFar): BackupPart {
  switch (kind.kind) {
    case "header":
      seen.headerSha256 = sha256Hex(data);
      return { kind: "header", header: readHeader(path, data) };
    case "piece":
      noteRows(path, kind.table, data, seen);
      return { kind: "rows", table: kind.table, data };
    case "key file":
      seen.keyFileSha256 = sha256Hex(data);
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
  if (header === null) throw invalidBackup(path, "it is not an Errand backup");
  if (header.format_version > FORMAT_VERSION)
    throw invalidBackup(
      path,
      `it was made by a newer version of Errand (${header.errand_version}), whose format this version cannot read. Use that version`,
    );
  return header;
}

function noteRows(path: string, table: string, data: Buffer, { tables }: ReadSoFar): void {
  const known = tables.get(table);
  if (known !== undefined && [...tables.keys()].at(-1) !== table)
    throw invalidBackup(path, "the rows of a table are not contiguous");
  const content = known ?? { hash: createHash("sha256"), bytes: 0 };
  content.hash.update(data);
  content.bytes += data.byteLength;
  tables.set(table, content);
}

function readManifest(path: string, data: Buffer, seen: ReadSoFar): Manifest {
  const manifest = parseManifest(data);
  if (manifest === null) throw invalidBackup(path, "its manifest is not valid");
  const difference = findDifference(manifest, seen);
  if (difference !== null) throw invalidBackup(path, `the file is damaged (${difference})`);
  return manifest;
}

function findDifference(manifest: Manifest, seen: ReadSoFar): string | null {
  if (manifest.header_sha256 !== seen.headerSha256) return "header";
  if (manifest.key_file_sha256 !== seen.keyFileSha256) return "key file";
  const unlisted = [...seen.tables.keys()].find((name) => !manifest.tables.some((table) => table.name === name));
  if (unlisted !== undefined) return `table ${unlisted}`;
  for (const { name, bytes, sha256 } of manifest.tables) {
    const content = seen.tables.get(name);
    const isSame = (content?.bytes ?? 0) === bytes && (content?.hash ?? createHash("sha256")).digest("hex") === sha256;
    if (!isSame) return `table ${name}`;
  }
  const { files, bytes, sha256 } = seen.artifacts.sum();
  const listed = manifest.artifacts ?? { ...createArtifactTally().sum() };
  return listed.files === files && listed.bytes === bytes && listed.sha256 === sha256 ? null : "artifacts";
}

function sha256Hex(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

export interface CheckedBackup {
  path: string;
  header: Header;
  manifest: Manifest;
  /** The content of the key file; null if it is not included. */
  keyFile: string | null;
}

/** Reads and verifies the whole file before anything is changed. */
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
  if (header === null || manifest === null) throw invalidBackup(path, "it is not an Errand backup");
  return { path, header, manifest, keyFile };
}

/** The file is read twice, to check and to restore it. Opening a pipe that nobody writes to could also not be interrupted. */
async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (path === "-" || found?.isFIFO())
    throw invalidBackup(path, "a pipe cannot be read twice. Save the backup to a file first");
  if (found !== null && !found.isFile()) throw invalidBackup(path, "it is not a file");
}

/** The schema must result from the migrations of this version, up to any of them. */
function requireKnown(path: string, { migrations, errand_version }: Header, known: Migration[]): void {
  const newest = known.at(-1)?.version ?? 0;
  for (const [position, { version, name, checksum }] of migrations.entries()) {
    const ours = known[position];
    if (ours?.version === version && ours.checksum === checksum) continue;
    throw invalidBackup(
      path,
      version > newest
        ? `it was made by a newer version of Errand (${errand_version}, with ${name}). Use that version or a later one`
        : `its schema has a migration that this version of Errand does not have (${name})`,
    );
  }
}

/** Reads parts of a backup with one part of lookahead. */
export interface PartReader {
  peek(): Promise<BackupPart | null>;
  take(): void;
  /** The rows of this table, if they come next. */
  rowsOf(table: string): AsyncGenerator<Buffer>;
}

export function createPartReader(parts: AsyncGenerator<BackupPart>): PartReader {
  let next: Promise<IteratorResult<BackupPart>> | null = null;

  async function peek(): Promise<BackupPart | null> {
    next ??= parts.next();
    const { done, value } = await next;
    return done === true ? null : value;
  }

  function take(): void {
    next = null;
  }

  return {
    peek,
    take,
    async *rowsOf(table) {
      for (;;) {
        const part = await peek();
        if (part?.kind !== "rows" || part.table !== table) return;
        take();
        yield part.data;
      }
    },
  };
}
