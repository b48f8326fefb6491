import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";

/** A gzipped tar that is written while it is made: no more than one entry of it is in memory. */
export interface ArchiveWriter {
  add(name: string, data: Buffer): Promise<void>;
  /** Resolves when everything has been taken. */
  finish(): Promise<void>;
}

const MODE = 0o600;

/** `out` is ended with the archive, unless it is to stay open. */
export function createArchiveWriter(
  out: Writable,
  { signal, madeAt, staysOpen }: { signal: AbortSignal; madeAt: Date; staysOpen: boolean },
): ArchiveWriter {
  const tar = pack();
  const flow = pipeline(tar, createGzip(), out, { signal, end: !staysOpen });
  // Whoever adds or finishes hears of it.
  flow.catch(() => {});

  return {
    async add(name, data) {
      const { promise: added, resolve, reject } = Promise.withResolvers<void>();
      if (tar.destroyed) return flow;
      tar.entry({ name, size: data.byteLength, mode: MODE, mtime: madeAt }, data, (error) =>
        error === undefined || error === null ? resolve() : reject(error),
      );
      // An entry that is lost with the stream does not know why.
      await Promise.race([added.catch(() => flow), flow]);
    },

    async finish() {
      tar.finalize();
      await flow;
    },
  };
}
