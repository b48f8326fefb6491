import { readdirSync, readFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";

/** What this process's browsers have on the machine: folders, and processes that were started with one of them. */
export interface BrowserTraces {
  folders: string[];
  /** The main process of each browser. */
  browsers: number[];
  /** The renderer processes. */
  renderers: number[];
  all: number[];
}

/** Linux only, like everything that reads /proc. */
export function findTraces(ownerPid = process.pid): BrowserTraces {
  const prefix = `errand-browser-${hostname().replaceAll(/[^a-z0-9.]/gi, "_")}-${ownerPid}-`;
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));
  const processes = listProcesses();
  const mains = processes.filter(({ command }) => command.includes(prefix) && typeOf(command) === null);
  const groups = new Set(mains.map(({ group }) => group));
  const all = processes.filter(({ group, state }) => groups.has(group) && state !== "Z");
  const ids = (list: Process[]) => list.map(({ pid }) => pid);
  return {
    folders,
    browsers: ids(mains.filter(({ command }) => !/^\S*\/sh /.test(command))),
    renderers: ids(all.filter(({ command }) => typeOf(command) === "renderer")),
    all: ids(all),
  };
}

interface Process {
  pid: number;
  group: number;
  state: string;
  command: string;
}

function listProcesses(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state = "", , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return [{ pid: Number(name), group: Number(group), state, command }];
      } catch {
        // It has just ended.
        return [];
      }
    });
}

/** Null for the main process of a browser. */
function typeOf(command: string): string | null {
  return /--type=(\S+)/.exec(command)?.[1] ?? null;
}
