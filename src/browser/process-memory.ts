import { listProcIds, readProc } from "./proc-files.ts";

/** How often the family is listed anew: that takes many times what measuring it takes. */
const MEASURES_PER_LISTING = 4;

/** What a process and everything it has started hold by themselves, in bytes; 0 where that cannot be told (no /proc). */
export function createMemoryMeter(pid: number): () => number {
  let family: number[] = [];
  let measures = 0;
  return () => {
    if (measures % MEASURES_PER_LISTING === 0) family = listFamily(pid);
    measures += 1;
    return family.reduce((sum, member) => sum + measureOne(member), 0);
  };
}

function listFamily(pid: number): number[] {
  return [pid, ...listChildren(pid).flatMap(listFamily)];
}

/** Each thread has its own. */
function listChildren(pid: number): number[] {
  const lists = listProcIds(`${pid}/task`).map((thread) => readProc(`${pid}/task/${thread}/children`) ?? "");
  return lists.flatMap((list) => list.match(/\d+/g) ?? []).map(Number);
}

/** Without what is mapped from files, which browsers share. */
function measureOne(pid: number): number {
  const counts = (readProc(`${pid}/status`) ?? "").matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
  return counts.reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0);
}
