import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { countBrowsers } from "./_execution-memory.ts";
import type { LoadProcess } from "./_load-stage.ts";

/** One look at one process; null where the system, or the process, does not tell. */
export interface Sample {
  seconds: number;
  /** Without what is mapped from files, which the system takes and gives back as it likes. */
  ownMb: number | null;
  heapMb: number | null;
  files: number | null;
  browsers: number;
}

export type Samples = Map<string, Sample[]>;

interface SampleOptions {
  processes: LoadProcess[];
  everyMs: number;
  signal: AbortSignal;
  /** Called after each look, with the seconds since the first. */
  onLook?(seconds: number): Promise<void>;
}

/** Looks at the processes until the signal aborts. */
export async function takeSamples({ processes, everyMs, signal, onLook }: SampleOptions): Promise<Samples> {
  const samples: Samples = new Map(processes.map(({ name }) => [name, []]));
  const startedMs = performance.now();
  while (!signal.aborted) {
    const seconds = (performance.now() - startedMs) / 1_000;
    const browsers = await countBrowsers(processes.map(({ pid }) => pid));
    await Promise.all(
      processes.map(async (one, index) => {
        const sample = { seconds, ...(await lookAt(one)), browsers: browsers[index] ?? 0 };
        samples.get(one.name)?.push(sample);
      }),
    );
    await onLook?.(seconds);
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
  return samples;
}

async function lookAt({ pid, metricsPort }: LoadProcess): Promise<Pick<Sample, "ownMb" | "heapMb" | "files">> {
  const [ownMb, files, heapMb] = await Promise.all([readOwn(pid), countFiles(pid), readHeap(metricsPort)]);
  return { ownMb, files, heapMb };
}

async function readOwn(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /^RssAnon:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

async function countFiles(pid: number): Promise<number | null> {
  return readdir(`/proc/${pid}/fd`).then(
    ({ length }) => length,
    () => null,
  );
}

async function readHeap(port: number): Promise<number | null> {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(5_000) }).then(
    (answer) => answer.text(),
    () => "",
  );
  const bytes = /^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1];
  return bytes === undefined ? null : Number(bytes) / 1024 / 1024;
}
