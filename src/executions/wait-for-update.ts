import type { ExecutionUpdates } from "./execution-store.ts";

/** Resolves at the next hint, after `maxMs`, or when `signal` aborts, whichever is first. */
export function waitForUpdate(
  updates: ExecutionUpdates,
  executionId: string,
  maxMs: number,
  signal: AbortSignal,
): Disposable & { arrived: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const subscription = updates.subscribe(executionId, resolve);
  const timer = setTimeout(resolve, maxMs);
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) resolve();
  return {
    arrived: promise,
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}
