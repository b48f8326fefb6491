import { readdirSync, readFileSync } from "node:fs";

/*
 * Linux tells of its processes in files that are memory: reading one is over before a thread could have been found to do it
 * (but for `cmdline`, for which the other process may have to be waited for). Where there is no /proc, there is nothing to
 * read.
 */

/** Null when it cannot be read: mostly there is no such process any more. */
export function readProc(path: string): string | null {
  return attempt(() => readFileSync(`/proc/${path}`, "utf8"));
}

/** Those in it that have a number for a name: processes, or the threads of one. */
export function listProcIds(path = ""): number[] {
  const names = attempt(() => readdirSync(`/proc/${path}`)) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Whatever the reason: it has ended, is somebody else's, or no more files can be opened. Who asks lives without an answer. */
function attempt<Read>(read: () => Read): Read | null {
  try {
    return read();
  } catch {
    return null;
  }
}
