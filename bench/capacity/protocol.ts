/** What the processes of the benchmark tell each other. */

/** What a simulated run and its client do. The mean of the run's length is `runSeconds`. */
export interface RunShape {
  runSeconds: number;
  steps: number;
  /** How often its client asks for it, on average. 0: it waits, and asks again after each notification. */
  pollSeconds: number;
}

/** The start of a forked process. */
export interface Start {
  connectionString: string;
  dataDir: string;
  shape: RunShape;
  /** Workers: how many runs at the same time. */
  concurrency: number;
  /** Clients: each has one execution at a time on its connection. */
  connectionIds: string[];
}

/** What was done since the last report. */
export type Operation = "create" | "claim" | "empty claim" | "heartbeat" | "event" | "finish" | "poll";

export interface Report {
  counts: Partial<Record<Operation, number>>;
  /** Durations in ms. */
  timesMs: Partial<Record<Operation, number[]>>;
  /** Runs that lost their lease, or operations that failed. */
  failures: number;
}

export type ToChild = { kind: "start"; start: Start } | { kind: "report" } | { kind: "stop" };

/** Counts and times operations until the next report. */
export class Counters {
  #report: Report = { counts: {}, timesMs: {}, failures: 0 };

  count(operation: Operation, startedMs: number): void {
    const { counts, timesMs } = this.#report;
    counts[operation] = (counts[operation] ?? 0) + 1;
    const times = timesMs[operation] ?? [];
    timesMs[operation] = times;
    times.push(performance.now() - startedMs);
  }

  fail(): void {
    this.#report.failures += 1;
  }

  take(): Report {
    const taken = this.#report;
    this.#report = { counts: {}, timesMs: {}, failures: 0 };
    return taken;
  }

  /** The same function, counted. */
  wrap<Args extends unknown[], Result>(operation: Operation, call: (...args: Args) => Promise<Result>) {
    return async (...args: Args): Promise<Result> => {
      const startedMs = performance.now();
      const result = await call(...args);
      this.count(operation, startedMs);
      return result;
    };
  }
}

/** Runs `start` in a forked process, and answers with reports until it is told to stop. */
export function serve(start: (given: Start, counters: Counters) => Promise<() => Promise<void>>): void {
  const counters = new Counters();
  let stop = async () => {};
  process.on("message", (message: ToChild) => {
    if (message.kind === "report") process.send?.(counters.take());
    else if (message.kind === "stop") void stop().finally(() => process.exit());
    else
      void start(message.start, counters).then((stopper) => {
        stop = stopper;
        process.send?.("ready");
      });
  });
  // The benchmark is gone.
  process.on("disconnect", () => process.exit());
}
