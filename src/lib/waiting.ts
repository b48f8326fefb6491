import { setImmediate, setTimeout as sleep } from "node:timers/promises";

/** The result, or null when the time is over first. The work is not stopped; a later failure is ignored. */
export async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, timeoutMs, null);
  try {
    promise.catch(() => {});
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const SLICE_MS = 20;

/** Runs long work to its end. Wherever it yields, other work of the process gets its turn if this has taken a while. */
export async function runInSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  let endMs = performance.now() + SLICE_MS;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (performance.now() < endMs) continue;
    await setImmediate();
    endMs = performance.now() + SLICE_MS;
  }
}

/** Runs work that could be run in slices without a pause. */
export function runAtOnce<Result>(work: Generator<void, Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

/** The result; rejects with the signal's reason as soon as it aborts. The work is not stopped; a later failure is ignored. */
export async function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A time limit that can be paused: its signal aborts when the limit has passed without the pauses. */
export class Deadline implements Disposable {
  readonly #limitMs: number;
  readonly #reached = new AbortController();
  /** Before the last pause ended. */
  #spentMs = 0;
  #runningSinceMs = performance.now();
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#start();
  }

  get signal(): AbortSignal {
    return this.#reached.signal;
  }

  /** 1 when the limit is reached. */
  get spentShare(): number {
    const runningMs = this.#pauses > 0 ? 0 : performance.now() - this.#runningSinceMs;
    return (this.#spentMs + runningMs) / this.#limitMs;
  }

  /** The time that this takes does not count. */
  async pauseWhile<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#pauses === 0) {
      clearTimeout(this.#timer);
      this.#spentMs += performance.now() - this.#runningSinceMs;
    }
    this.#pauses += 1;
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#start();
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#runningSinceMs = performance.now();
    const reach = () => this.#reached.abort(new DOMException("The time limit was reached.", "TimeoutError"));
    this.#timer = setTimeout(reach, this.#limitMs - this.#spentMs);
    this.#timer.unref();
  }
}

/** Exponential backoff with jitter, so that many clients do not retry at the same moment. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  #failures = 0;

  constructor({ firstMs, maxMs }: { firstMs: number; maxMs: number }) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  /** Returns early, without an error, when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const fullMs = Math.min(this.#maxMs, this.#firstMs * 2 ** this.#failures);
    this.#failures += 1;
    await sleep(fullMs * (0.75 + Math.random() / 4), undefined, { signal }).catch(() => {});
  }

  reset(): void {
    this.#failures = 0;
  }
}
