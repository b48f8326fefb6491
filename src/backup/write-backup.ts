import { createHash } from "node:crypto";
import type { Writable } from "node:stream";
import type { ArtifactFiles } from "../executions/artifact-store.ts";
import { type ArchiveWriter, createArchiveWriter } from "./archive-writer.ts";
import { backUpArtifacts } from "./back-up-artifacts.ts";
import type { TableColumns } from "./catalog.ts";
import {
  FORMAT,
  FORMAT_VERSION,
  HEADER_ENTRY,
  type Header,
  KEY_FILE_ENTRY,
  MANIFEST_ENTRY,
  type Manifest,
  namePiece,
  PIECE_BYTES,
  type TableContent,
} from "./format.ts";
import { cutIntoPieces } from "./pieces.ts";
import { openSnapshot, type Snapshot } from "./snapshot.ts";

export interface BackupOptions {
  connectionString: string;
  /** Null leaves artifacts out. */
  files: Pick<ArtifactFiles, "open"> | null;
  /** What stands in the key file; null leaves it out. */
  keyFile: string | null;
  errandVersion: string;
  madeAt: Date;
  signal: AbortSignal;
  /** How long the database may answer nothing at all; a minute unless said. */
  silenceMs?: number;
  onProgress(message: string): void;
}

export interface BackupReport {
  header: Header;
  manifest: Manifest;
}

/** Writes everything there is at this moment, while a service may go on working. */
export async function writeBackup(
  out: { stream: Writable; staysOpen: boolean },
  options: BackupOptions,
): Promise<BackupReport> {
  const { connectionString, signal, silenceMs, madeAt } = options;
  await using snapshot = await openSnapshot(connectionString, { signal, silenceMs });
  const archive = createArchiveWriter(out.stream, { signal, madeAt, staysOpen: out.staysOpen });
  try {
    return await fill(archive, snapshot, options);
  } catch (error) {
    throw snapshot.explain(error);
  }
}

async function fill(
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
  for (const table of snapshot.tables) tables.push(await backUpTable(archive, snapshot, table, onProgress));
  if (keyFile !== null) await archive.add(KEY_FILE_ENTRY, Buffer.from(keyFile));
  const manifest: Manifest = {
    header_sha256: digest(headerData),
    tables,
    artifacts: files === null ? null : await backUpArtifacts(archive, snapshot, files, onProgress),
    key_file_sha256: keyFile === null ? null : digest(Buffer.from(keyFile)),
    keys: await snapshot.countByKey(),
  };
  await archive.add(MANIFEST_ENTRY, toJson(manifest));
  await archive.finish();
  return { header, manifest };
}

const NEW_LINE = 0x0a;

async function backUpTable(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  table: TableColumns,
  onProgress: (message: string) => void,
): Promise<TableContent> {
  const hash = createHash("sha256");
  let [pieces, rows, bytes] = [0, 0, 0];
  for await (const piece of cutIntoPieces(snapshot.copy(table), PIECE_BYTES)) {
    hash.update(piece);
    bytes += piece.byteLength;
    // COPY writes a new line inside of a value as two other characters.
    rows += countBytes(piece, NEW_LINE);
    pieces += 1;
    await archive.add(namePiece(table.name, pieces), piece);
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

function digest(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
