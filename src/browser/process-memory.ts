import { listProcIds, readProc } from "./proc-files.ts";

/** How often it is looked for processes that have become parents: that takes many times what measuring them takes. */
const MEASURES_PER_SEARCH = 4;

/** What a process and everything it has started hold by themselves, in bytes; 0 where that cannot be told (no /proc). */
export function createMemoryMeter(pid: number): () => number {
  /** In a browser, few of many: itself, and those that it has start the others. */
  let parents: number[] = [];
  let measures = 0;
  return () => {
    if (measures % MEASURES_PER_SEARCH === 0) parents = [pid, ...listChildren(pid).flatMap(listParents)];
    measures += 1;
    // A page can choose when it gets a new process, so each measure has to see the newest.
    const family = [pid, ...parents.flatMap(listChildren)];
    return family.reduce((sum, member) => sum + measureOne(member), 0);
  };
}

/** It and all below it, as far as they have started something. */
function listParents(pid: number): number[] {
  const children = listChildren(pid);
  return children.length === 0 ? [] : [pid, ...children.flatMap(listParents)];
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
