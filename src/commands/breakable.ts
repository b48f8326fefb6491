import { CallerError } from "../lib/caller-error.ts";

/** Does something that Ctrl-C or SIGTERM breaks off: it is told by the signal, and puts things in order before it ends. */
export async function breakable<Result>(
  message: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const breakOff = () => controller.abort(new CallerError("BROKEN_OFF", message));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, breakOff);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, breakOff);
  }
}
