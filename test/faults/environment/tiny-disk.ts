import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file system of a few megabytes in place of a folder, visible to one process only. */
export interface TinyDisk {
  /** Runs a program with the disk mounted. */
  readonly prefix: readonly string[];
  /** Uses up all remaining space, as seen by the process. */
  fill(pid: number): void;
  /** Frees it again. */
  empty(pid: number): void;
  /** Every file, by its path within the folder. */
  list(pid: number): string[];
}

const FILLER = "filler";
const CHUNK = Buffer.alloc(64 * 1024, 1);

/** Null where a process may not have its own mounts. */
export function createTinyDisk(folder: string, megabytes: number): TinyDisk | null {
  mkdirSync(folder, { recursive: true });
  const mount = `mount -t tmpfs -o size=${megabytes}m,mode=0700 tmpfs "$0" && exec "$@"`;
  // Without root, become root in a user namespace, where that is allowed.
  const flags = process.getuid?.() === 0 ? "-m" : "-rm";
  const prefix = ["unshare", flags, "sh", "-c", mount, folder];
  const [program = "", ...args] = [...prefix, "true"];
  if (spawnSync(program, args).status !== 0) return null;
  const seenBy = (pid: number) => join("/proc", String(pid), "root", folder);
  return {
    prefix,
    fill(pid) {
      const filler = join(seenBy(pid), FILLER);
      try {
        for (;;) writeFileSync(filler, CHUNK, { flag: "a" });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    empty: (pid) => rmSync(join(seenBy(pid), FILLER), { force: true }),
    list: (pid) => readdirSync(seenBy(pid), { recursive: true }).map(String),
  };
}
