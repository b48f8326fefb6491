import { readFile } from "node:fs/promises";

/** A zombie has ended but was not collected by its parent: signals still reach it. */
export async function readProcessState(pid: number): Promise<"running" | "zombie" | "gone"> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return "gone";
  }
  // Linux only; elsewhere the file is missing, and init collects orphans.
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return /^\d+ \(.*\) [ZX] /s.test(stat) ? "zombie" : "running";
}
