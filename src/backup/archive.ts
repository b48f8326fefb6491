import { createReadStream } from "node:fs";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { extract, pack } from "tar-stream";
import { CHUNK_BYTES, type EntryName, invalidBackup, parseEntryName } from "./format.ts";

/** Writes a gzipped tar as a stream, with at most one entry in memory. */
export interface ArchiveWriter {
  add(name: string, data: Buffer): Promise<void>;
  /** Resolves when everything has been written. */
  finish(): Promise<void>;
}

const MODE = 0o600;

/** Ends `out` after the archive, unless `staysOpen`. */
export function createArchiveWriter(
  out: Writable,
  { signal, madeAt, staysOpen }: { signal: AbortSignal; madeAt: Date; staysOpen: boolean },
): ArchiveWriter {
  const tar = pack();
  const flow = pipeline(tar, createGzip(), out, { signal, end: !staysOpen });
  // `add` and `finish` report the error.
  flow.catch(() => {});

  return {
    async add(name, data) {
      const { promise: added, resolve, reject } = Promise.withResolvers<void>();
      if (tar.destroyed) return flow;
      tar.entry({ name, size: data.byteLength, mode: MODE, mtime: madeAt }, data, (error) =>
        error === undefined || error === null ? resolve() : reject(error),
      );
      // When the stream fails, the entry fails as well, but without the reason.
      await Promise.race([added.catch(() => flow), flow]);
    },

    async finish() {
      tar.finalize();
      await flow;
    },
  };
}

export interface ArchiveEntry {
  name: string;
  kind: EntryName;
  data: Buffer;
}

const MAX_ENTRY_BYTES: Record<EntryName["kind"], number> = {
  header: 4 * 1024 * 1024,
  piece: CHUNK_BYTES,
  "key file": 1024 * 1024,
  artifact: 1024 * 1024 * 1024,
  manifest: 16 * 1024 * 1024,
};

/** The entries of a backup, one at a time. Throws if the file is not a backup or is truncated. */
export async function* readArchive(path: string, signal: AbortSignal): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  const flow = pipeline(createReadStream(path), createGunzip(), tar, { signal });
  flow.catch(() => {});
  try {
    for await (const entry of tar) {
      const { name } = entry.header;
      const kind = entry.header.type === "file" ? parseEntryName(name) : null;
      if (kind === null) throw invalidBackup(path, "it contains an unknown entry");
      if (entry.header.size > MAX_ENTRY_BYTES[kind.kind])
        throw invalidBackup(path, "it contains an entry that is too large");
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      yield { name, kind, data: Buffer.concat(chunks) };
    }
    await flow;
  } catch (error) {
    tar.destroy();
    throw await explainReadFailure(path, error, flow, signal);
  } finally {
    tar.destroy();
  }
}

/** The pipeline has the first error; the reader that fails with it has only a consequence. */
async function explainReadFailure(
  path: string,
  error: unknown,
  flow: Promise<void>,
  signal: AbortSignal,
): Promise<unknown> {
  if (signal.aborted || (error instanceof Error && error.name === "CallerError")) return error;
  const cause = await flow.then(
    () => error,
    (reason: unknown) => (isPremature(reason) ? error : reason),
  );
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  if (code === "ENOENT") return invalidBackup(path, "the file does not exist", cause);
  if (code === "Z_BUF_ERROR") return invalidBackup(path, "it is truncated", cause);
  if (code === "Z_DATA_ERROR" && /header check/.test((cause as Error).message))
    return invalidBackup(path, "it is not an Errand backup", cause);
  if (code.startsWith("Z_")) return invalidBackup(path, "it is damaged", cause);
  if (/^E[A-Z]+$/.test(code)) return invalidBackup(path, (cause as Error).message, cause);
  return invalidBackup(path, "it is damaged or not an Errand backup", cause);
}

function isPremature(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE";
}
