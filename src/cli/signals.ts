import { CallerError } from "../lib/errors.ts";

/** Resolves at the first Ctrl-C or SIGTERM, for a gentle stop. A second one then ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}

/**
 * Does something that Ctrl-C or SIGTERM breaks off: it is told by the signal, and puts things in order before it ends.
 * Once it has called `hold`, that does not happen any more; then the signal that this answers says that it should come to
 * an end.
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
  const breakOff = () => {
    if (isHeld) stopping.abort(new CallerError("BROKEN_OFF", "it was told to stop"));
    else controller.abort(new CallerError("BROKEN_OFF", message));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, breakOff);
  try {
    return await work(controller.signal, hold);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, breakOff);
  }
}
