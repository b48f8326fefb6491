import { readdirSync, readFileSync } from "node:fs";

/** CPU seconds by kind of process. */
export type CpuUse = Record<CpuKind, number>;

export type CpuKind = (typeof CPU_KINDS)[number];

export const CPU_KINDS = ["renderer", "node", "browser", "gpu", "postgres", "other"] as const;

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
/** A process that ends loses at most what it used since the last sample. */
const SAMPLE_EVERY_MS = 100;

interface Used {
  kind: CpuKind;
  ticks: number;
}

interface RecordingOptions {
  /** Read regularly, so that processes count that start and end in between. */
  isSampled?: boolean;
  /** Descendants that do not count, nor do theirs. */
  without?: readonly number[];
}

/** The CPU time of processes and all their descendants since now, from /proc. */
export class CpuRecording implements Disposable {
  readonly #readTrees: () => Map<string, Used>;
  readonly #before: ReadonlyMap<string, Used>;
  readonly #used = new Map<string, Used>();
  readonly #sampling: NodeJS.Timeout | null;

  constructor(roots: readonly number[], { isSampled = false, without = [] }: RecordingOptions = {}) {
    this.#readTrees = () => readTrees(roots, without);
    this.#before = this.#readTrees();
    this.#sampling = isSampled ? setInterval(() => this.#sample(), SAMPLE_EVERY_MS) : null;
  }

  read(): CpuUse {
    this.#sample();
    const use = Object.fromEntries(CPU_KINDS.map((kind) => [kind, 0])) as CpuUse;
    for (const [process, { kind, ticks }] of this.#used) {
      use[kind] += (ticks - (this.#before.get(process)?.ticks ?? 0)) / TICKS_PER_SECOND;
    }
    return use;
  }

  [Symbol.dispose](): void {
    if (this.#sampling !== null) clearInterval(this.#sampling);
  }

  #sample(): void {
    for (const [process, { kind, ticks }] of this.#readTrees()) {
      // A process that has ended no longer has a command line.
      const known = kind === "other" ? this.#used.get(process)?.kind : undefined;
      this.#used.set(process, { kind: known ?? kind, ticks });
    }
  }
}

export function sumCpu(use: CpuUse): number {
  return CPU_KINDS.reduce((sum, kind) => sum + use[kind], 0);
}

/** The first process whose command line contains the text, which is not a descendant of another such process. */
export function findProcess(text: string): number {
  const found = listProcesses().filter((pid) => readProc(pid, "cmdline").includes(text));
  const parents = new Map(found.map((pid) => [pid, readStat(pid)?.parent]));
  const root = found.find((pid) => !found.includes(parents.get(pid) ?? 0) && pid !== process.pid);
  if (root === undefined) throw new Error(`No process runs with ${text}.`);
  return root;
}

/** By process id and start time, because ids are used again. */
function readTrees(roots: readonly number[], without: readonly number[]): Map<string, Used> {
  const stats = new Map(listProcesses().map((pid) => [pid, readStat(pid)]));
  const wanted = new Set(roots);
  // A parent may have a higher id than its child, once ids start again from the beginning.
  for (let before = 0; before < wanted.size; ) {
    before = wanted.size;
    for (const [pid, stat] of stats) {
      if (stat !== null && wanted.has(stat.parent) && !without.includes(pid)) wanted.add(pid);
    }
  }
  const used = new Map<string, Used>();
  for (const pid of wanted) {
    const stat = stats.get(pid) ?? null;
    if (stat === null) continue;
    used.set(`${pid} ${stat.startedAt}`, { kind: kindOf(readProc(pid, "cmdline")), ticks: stat.ticks });
  }
  return used;
}

function listProcesses(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readStat(pid: number): { parent: number; ticks: number; startedAt: string } | null {
  const stat = readProc(pid, "stat");
  if (stat === "") return null;
  // The fields follow the name, which is in parentheses and may contain anything: see proc_pid_stat(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]), startedAt: fields[19] ?? "" };
}

/** Empty when the process has ended. */
function readProc(pid: number, file: "stat" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function kindOf(command: string): CpuKind {
  if (command.includes("--type=renderer")) return "renderer";
  if (command.includes("--type=gpu-process")) return "gpu";
  if (command.includes("--type=") || command.includes("--remote-debugging-p")) return "browser";
  const program = command.split(/[\0 ]/)[0] ?? "";
  if (/(^|\/)postgres:?$/.test(program)) return "postgres";
  return /(^|\/)node$/.test(program) ? "node" : "other";
}
