import { CallerError } from "../lib/errors.ts";

/** Resolves at the first Ctrl-C or SIGTERM, so that the process can stop cleanly. A second one ends it at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}

/**
 * Runs work that Ctrl-C or SIGTERM interrupts: `signal` aborts, the work cleans up, and the result is an error with
 * `message`. After the work has called `hold` it is no longer interrupted; the signal that `hold` returns only asks it to
 * finish soon.
 */
export async function interruptible<Result>(
  message: string,
  work: (signal: AbortSignal, hold: () => AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stopping = new AbortController();
  let isHeld = false;
  const hold = () => {
    isHeld = true;
    return stopping.signal;
  };
  const interrupt = () => {
    if (isHeld) stopping.abort(new CallerError("BROKEN_OFF", "Interrupted"));
    else controller.abort(new CallerError("BROKEN_OFF", message));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  try {
    return await work(controller.signal, hold);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupt);
  }
}
