import { readdir, readFile } from "node:fs/promises";

/** What a process and everything it has started hold by themselves, in bytes; 0 where that cannot be told (no /proc). */
export async function measureMemory(pid: number): Promise<number> {
  const [own, children] = await Promise.all([measureOne(pid), listChildren(pid)]);
  const theirs = await Promise.all(children.map(measureMemory));
  return theirs.reduce((sum, bytes) => sum + bytes, own);
}

/** Without what is mapped from files, which browsers share. */
async function measureOne(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].map(([, count]) => Number(count));
  return kilobytes.reduce((sum, count) => sum + count, 0) * 1024;
}

/** Each thread has its own. */
async function listChildren(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => "")),
  );
  return lists.flatMap((list) =>
    list
      .split(" ")
      .filter((word) => word !== "")
      .map(Number),
  );
}
