import { CallerError } from "./caller-error.ts";

const RETRY_AFTER_SECONDS = 2;

/** A line is as long as it may get: nothing was begun, and the same call can succeed a little later. */
export class OverloadedError extends CallerError<"UNAVAILABLE"> {
  constructor(where: string) {
    super("UNAVAILABLE", "The service has more to do than it can at the moment. Try again shortly.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: new Error(`the line is full: ${where}`),
    });
    this.name = "OverloadedError";
  }
}
