import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { countBrowsers } from "../harness/browsers.ts";
import type { LoadProcess } from "./stage.ts";

/** One sample of one process; null for what neither the system nor the process reports. */
export interface Sample {
  seconds: number;
  /** Without file mappings, which the system loads and drops as it likes. */
  privateMb: number | null;
  heapMb: number | null;
  files: number | null;
  browsers: number;
}

export type Samples = Map<string, Sample[]>;

interface SampleOptions {
  processes: LoadProcess[];
  everyMs: number;
  signal: AbortSignal;
  /** Called after each sample, with the seconds since the first. */
  onSample?(seconds: number): Promise<void>;
}

/** Samples the processes until the signal aborts. */
export async function takeSamples({ processes, everyMs, signal, onSample }: SampleOptions): Promise<Samples> {
  const samples: Samples = new Map(processes.map(({ name }) => [name, []]));
  const startedMs = performance.now();
  while (!signal.aborted) {
    const seconds = (performance.now() - startedMs) / 1_000;
    const browsers = await countBrowsers(processes.map(({ pid }) => pid));
    await Promise.all(
      processes.map(async (one, index) => {
        const sample = { seconds, ...(await readProcess(one)), browsers: browsers[index] ?? 0 };
        samples.get(one.name)?.push(sample);
      }),
    );
    await onSample?.(seconds);
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
  return samples;
}

async function readProcess({ pid, metricsPort }: LoadProcess): Promise<Pick<Sample, "privateMb" | "heapMb" | "files">> {
  const [privateMb, files, heapMb] = await Promise.all([
    readPrivateMemory(pid),
    countFiles(pid),
    readHeapMemory(metricsPort),
  ]);
  return { privateMb, files, heapMb };
}

async function readPrivateMemory(pid: number): Promise<number | null> {
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

async function readHeapMemory(port: number): Promise<number | null> {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.text(),
    () => "",
  );
  const bytes = /^nodejs_heap_size_used_bytes (\S+)/m.exec(text)?.[1];
  return bytes === undefined ? null : Number(bytes) / 1024 / 1024;
}
