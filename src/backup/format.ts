import { createHash } from "node:crypto";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { CallerError } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";

/**
 * A backup is a gzipped tar: header.json, the rows of each table in COPY format, the key file if requested, artifacts, and
 * finally manifest.json. Rows are split into chunks, because a tar needs the size of an entry in advance.
 */
export const FORMAT = "errand backup";
export const FORMAT_VERSION = 1;
export const HEADER_ENTRY = "header.json";
export const MANIFEST_ENTRY = "manifest.json";
export const KEY_FILE_ENTRY = "secret.key";
export const CHUNK_BYTES = 1024 * 1024;

const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$" });
const Count = Type.Integer({ minimum: 0 });
const TableName = Type.String({ pattern: "^[a-z][a-z0-9_]{0,62}$" });

const Header = Type.Object({
  format: Type.Literal(FORMAT),
  format_version: Count,
  errand_version: Type.String(),
  made_at: Type.String(),
  /** The applied migrations, oldest first. */
  migrations: Type.Array(Type.Object({ version: Count, name: Type.String(), checksum: Type.String() }), {
    minItems: 1,
  }),
});
export type Header = Type.Static<typeof Header>;

const TableContent = Type.Object({
  name: TableName,
  columns: Type.Array(TableName, { minItems: 1 }),
  rows: Count,
  bytes: Count,
  sha256: Sha256,
});
export type TableContent = Type.Static<typeof TableContent>;

const Manifest = Type.Object({
  header_sha256: Sha256,
  tables: Type.Array(TableContent),
  /** Null if excluded. The digest is of lines `<name> <bytes> <sha256>`, one per artifact in archive order. */
  artifacts: Type.Union([
    Type.Null(),
    Type.Object({ files: Count, bytes: Count, sha256: Sha256, missing: Count, damaged: Count }),
  ]),
  key_file_sha256: Type.Union([Type.Null(), Sha256]),
  /** How many saved sign-ins and webhook secrets each master key encrypts. */
  keys: Type.Array(Type.Object({ key_id: Type.String(), sign_ins: Count, webhook_secrets: Count })),
});
export type Manifest = Type.Static<typeof Manifest>;

/** Null if the data is not a valid header. */
export function parseHeader(data: Buffer): Header | null {
  const value = parseJson(data);
  return Value.Check(Header, value) ? value : null;
}

export function parseManifest(data: Buffer): Manifest | null {
  const value = parseJson(data);
  return Value.Check(Manifest, value) ? value : null;
}

export type EntryName =
  | { kind: "header" }
  | { kind: "piece"; table: string }
  | { kind: "key file" }
  | { kind: "artifact"; executionId: string; artifactId: string }
  | { kind: "manifest" };

export function chunkEntryName(table: string, number: number): string {
  return `tables/${table}/${String(number).padStart(8, "0")}`;
}

export function artifactEntryName(executionId: string, artifactId: string): string {
  return `artifacts/${executionId}/${artifactId}`;
}

/** Null for a name that does not occur in backups. */
export function parseEntryName(name: string): EntryName | null {
  if (name === HEADER_ENTRY) return { kind: "header" };
  if (name === MANIFEST_ENTRY) return { kind: "manifest" };
  if (name === KEY_FILE_ENTRY) return { kind: "key file" };
  const [folder = "", first = "", second = "", ...more] = name.split("/");
  if (more.length > 0) return null;
  if (folder === "tables") return /^[a-z][a-z0-9_]{0,62}$/.test(first) ? { kind: "piece", table: first } : null;
  const [executionId, artifactId] = [parseUuid(first), parseUuid(second)];
  if (folder !== "artifacts" || executionId === null || artifactId === null) return null;
  return { kind: "artifact", executionId, artifactId };
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString("utf8"));
  } catch {
    return null;
  }
}

/** Counts and hashes artifacts. The result has the same size for any number of them. */
export interface ArtifactTally {
  readonly files: number;
  add(name: string, data: Buffer): void;
  sum(): Pick<NonNullable<Manifest["artifacts"]>, "files" | "bytes" | "sha256">;
}

export function createArtifactTally(): ArtifactTally {
  const hash = createHash("sha256");
  let [files, bytes] = [0, 0];
  return {
    get files() {
      return files;
    },
    add(name, data) {
      files += 1;
      bytes += data.byteLength;
      hash.update(`${name} ${data.byteLength} ${createHash("sha256").update(data).digest("hex")}\n`);
    },
    sum: () => ({ files, bytes, sha256: hash.copy().digest("hex") }),
  };
}

/** `what` completes the sentence "<path> cannot be restored: …". */
export function invalidBackup(path: string, what: string, cause?: unknown): CallerError {
  return new CallerError("INVALID_BACKUP", `${path} cannot be restored: ${what}. Nothing was changed.`, { cause });
}
