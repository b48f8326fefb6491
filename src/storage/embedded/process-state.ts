import { readFile } from "node:fs/promises";

/** Whether a process runs. One that ended but was not collected by its parent (a zombie) does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  // Linux only; elsewhere the file is missing, and init collects orphans.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/^\d+ \(.*\) [ZX] /s.test(stat);
}
