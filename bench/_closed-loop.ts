import type { JobResult } from "./_job.ts";

interface ClosedLoop {
  concurrency: number;
  seconds: number;
  maxCalls: number;
  /** `worker` is who calls, `index` counts all calls. Must throw unless the answer was the right one. */
  call(worker: number, index: number): Promise<void>;
}

/** Each worker sends its next call when the last one was answered. The first wrong answer ends everything. */
export async function runClosedLoop({ concurrency, seconds, maxCalls, call }: ClosedLoop): Promise<JobResult> {
  const latenciesMs = new Float64Array(maxCalls);
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const deadlineMs = startedMs + seconds * 1_000;
  let sent = 0;
  let answered = 0;
  let failed = false;

  async function work(worker: number): Promise<void> {
    let beforeMs = performance.now();
    while (!failed && sent < maxCalls && beforeMs < deadlineMs) {
      await call(worker, sent++);
      const afterMs = performance.now();
      latenciesMs[answered++] = afterMs - beforeMs;
      beforeMs = afterMs;
    }
  }

  try {
    await Promise.all(Array.from({ length: concurrency }, (_, worker) => work(worker)));
  } finally {
    failed = true;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    seconds: (performance.now() - startedMs) / 1_000,
    latenciesMs: latenciesMs.slice(0, answered),
    cpuSeconds: (user + system) / 1_000_000,
  };
}
