import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, existsSync, statSync, type WriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { Writable } from "node:stream";
import type { ArtifactFiles } from "../executions/artifacts.ts";
import { CallerError } from "../lib/errors.ts";
import { type ArchiveWriter, createArchiveWriter } from "./archive.ts";
import {
  artifactEntryName,
  CHUNK_BYTES,
  chunkEntryName,
  createArtifactTally,
  FORMAT,
  FORMAT_VERSION,
  HEADER_ENTRY,
  type Header,
  KEY_FILE_ENTRY,
  MANIFEST_ENTRY,
  type Manifest,
  type TableContent,
} from "./format.ts";
import { type ArtifactRow, openSnapshot, type Snapshot } from "./snapshot.ts";
import type { TableColumns } from "./tables.ts";

export interface BackupOptions {
  connectionString: string;
  /** Null: without artifacts. */
  files: Pick<ArtifactFiles, "open"> | null;
  /** The content of the key file; null: without it. */
  keyFile: string | null;
  errandVersion: string;
  madeAt: Date;
  signal: AbortSignal;
  /** How long the database may be silent; by default a minute. */
  silenceMs?: number;
  onProgress(message: string): void;
}

export interface BackupReport {
  header: Header;
  manifest: Manifest;
}

/** Writes a consistent snapshot of everything. A service may keep running. */
export async function writeBackup(
  out: { stream: Writable; staysOpen: boolean },
  options: BackupOptions,
): Promise<BackupReport> {
  const { connectionString, signal, silenceMs, madeAt } = options;
  await using snapshot = await openSnapshot(connectionString, { signal, silenceMs });
  const archive = createArchiveWriter(out.stream, { signal, madeAt, staysOpen: out.staysOpen });
  try {
    return await writeArchive(archive, snapshot, options);
  } catch (error) {
    throw snapshot.explain(error);
  }
}

async function writeArchive(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  { files, keyFile, errandVersion, madeAt, onProgress }: BackupOptions,
): Promise<BackupReport> {
  const header: Header = {
    format: FORMAT,
    format_version: FORMAT_VERSION,
    errand_version: errandVersion,
    made_at: madeAt.toISOString(),
    migrations: snapshot.migrations,
  };
  const headerData = toJson(header);
  await archive.add(HEADER_ENTRY, headerData);
  const tables: TableContent[] = [];
  for (const table of snapshot.tables) tables.push(await writeTable(archive, snapshot, table, onProgress));
  if (keyFile !== null) await archive.add(KEY_FILE_ENTRY, Buffer.from(keyFile));
  const manifest: Manifest = {
    header_sha256: sha256Hex(headerData),
    tables,
    artifacts: files === null ? null : await writeArtifacts(archive, snapshot, files, onProgress),
    key_file_sha256: keyFile === null ? null : sha256Hex(Buffer.from(keyFile)),
    keys: await snapshot.countByKey(),
  };
  await archive.add(MANIFEST_ENTRY, toJson(manifest));
  await archive.finish();
  return { header, manifest };
}

const NEW_LINE = 0x0a;

async function writeTable(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  table: TableColumns,
  onProgress: (message: string) => void,
): Promise<TableContent> {
  const hash = createHash("sha256");
  let [chunks, rows, bytes] = [0, 0, 0];
  for await (const chunk of splitIntoChunks(snapshot.copy(table), CHUNK_BYTES)) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    // COPY escapes line breaks inside values, so each row is one line.
    rows += countBytes(chunk, NEW_LINE);
    chunks += 1;
    await archive.add(chunkEntryName(table.name, chunks), chunk);
    onProgress(`Backing up ${table.name}: ${rows} rows`);
  }
  return { ...table, rows, bytes, sha256: hash.digest("hex") };
}

function countBytes(data: Buffer, byte: number): number {
  let count = 0;
  for (let at = data.indexOf(byte); at !== -1; at = data.indexOf(byte, at + 1)) count += 1;
  return count;
}

function toJson(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

function sha256Hex(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Missing and damaged files are counted and skipped. */
async function writeArtifacts(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  files: Pick<ArtifactFiles, "open">,
  onProgress: (message: string) => void,
): Promise<NonNullable<Manifest["artifacts"]>> {
  const tally = createArtifactTally();
  let [missing, damaged] = [0, 0];
  for await (const artifact of snapshot.listArtifacts()) {
    const data = await readArtifact(files, artifact);
    if (data === "missing") missing += 1;
    else if (data === "damaged") damaged += 1;
    else {
      const name = artifactEntryName(artifact.executionId, artifact.id);
      await archive.add(name, data);
      tally.add(name, data);
      onProgress(`Backing up artifacts: ${tally.files}`);
    }
  }
  return { ...tally.sum(), missing, damaged };
}

async function readArtifact(
  files: Pick<ArtifactFiles, "open">,
  { executionId, id, bytes, sha256 }: ArtifactRow,
): Promise<Buffer | "missing" | "damaged"> {
  const content = await files.open(executionId, id);
  if (content === null) return "missing";
  const chunks: Buffer[] = [];
  let left = bytes;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    left -= chunk.byteLength;
    if (left < 0) return "damaged";
    chunks.push(chunk);
  }
  const data = Buffer.concat(chunks);
  return createHash("sha256").update(data).digest().equals(sha256) ? data : "damaged";
}

/** Splits a stream into chunks of this size; the last one may be smaller. */
export async function* splitIntoChunks(source: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of source) {
    held.push(chunk);
    heldBytes += chunk.byteLength;
    if (heldBytes < bytes) continue;
    const all = Buffer.concat(held);
    const whole = all.byteLength - (all.byteLength % bytes);
    for (let at = 0; at < whole; at += bytes) yield all.subarray(at, at + bytes);
    held = [all.subarray(whole)];
    heldBytes = all.byteLength - whole;
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

/** Writes a file completely or not at all. An existing file is kept, unless it may be replaced. */
export async function writeFileAtomically<Result>(
  path: string,
  { mayReplace }: { mayReplace: boolean },
  write: (stream: WriteStream) => Promise<Result>,
): Promise<Result> {
  const target = resolve(path);
  if (existsSync(target) && statSync(target).isDirectory()) throw isDirectory(path);
  if (!mayReplace && existsSync(target)) throw alreadyExists(path);
  const draft = `${target}.${randomBytes(6).toString("hex")}.draft`;
  const file = await openDraft(draft, dirname(path));
  try {
    // The content is on disk before the file gets its name.
    const result = await write(createWriteStream(draft, { fd: file.fd, autoClose: false }));
    await file.sync();
    await file.close();
    if (!mayReplace && existsSync(target)) throw alreadyExists(path);
    await rename(draft, target);
    return result;
  } finally {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
  }
}

async function openDraft(draft: string, folder: string) {
  try {
    return await open(draft, "wx", 0o600);
  } catch (error) {
    const reason = (error as Error).message.replace(draft, basename(draft));
    throw new CallerError("NOT_WRITABLE", `Cannot write to the folder ${folder}: ${reason}`, {
      cause: error,
    });
  }
}

function isDirectory(path: string): CallerError {
  return new CallerError("IS_FOLDER", `${path} is a folder. Name a file inside it.`);
}

function alreadyExists(path: string): CallerError {
  return new CallerError("ALREADY_THERE", `${path} already exists. Choose another name, or overwrite it with --force.`);
}
