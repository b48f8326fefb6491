import { CallerError } from "../lib/caller-error.ts";

/**
 * Does something that Ctrl-C or SIGTERM breaks off: it is told by the signal, and puts things in order before it ends.
 * Once it has called `hold`, nothing breaks it off any more.
 */
export async function breakable<Result>(
  message: string,
  work: (signal: AbortSignal, hold: () => void) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let isHeld = false;
  const hold = () => {
    isHeld = true;
  };
  const breakOff = () => {
    if (!isHeld) controller.abort(new CallerError("BROKEN_OFF", message));
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
