import { readdirSync, readFileSync } from "node:fs";

/*
 * Linux tells of its processes in files that are memory: reading one never waits, and is over before a thread could have
 * been found to do it. Where there is no /proc, there is nothing to read.
 */

/** Null when there is no such process any more. */
export function readProc(path: string): string | null {
  return attempt(() => readFileSync(`/proc/${path}`, "utf8"));
}

/** Those in it that have a number for a name: processes, or the threads of one. */
export function listProcIds(path = ""): number[] {
  const names = attempt(() => readdirSync(`/proc/${path}`)) ?? [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

function attempt<Read>(read: () => Read): Read | null {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ESRCH: it has ended between the opening of its file and the reading. EACCES: it is somebody else's.
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}
