import type { FastifyReply } from "fastify";
import { CallerError, OverloadedError } from "../lib/errors.ts";

/** Room for answers that stay open: so many for one caller, and so many in this process. */
export interface OpenResponseLimit {
  /** Throws when there is none left. */
  take(caller: string): Disposable;
}

interface OpenResponseLimitOptions {
  /** What they are for, in the plural. */
  name: string;
  perCaller: number;
  total: number;
}

const RETRY_AFTER_SECONDS = 5;

export function createOpenResponseLimit({ name, perCaller, total }: OpenResponseLimitOptions): OpenResponseLimit {
  const taken = new Map<string, number>();
  let sum = 0;

  function leave(caller: string): void {
    sum -= 1;
    const left = (taken.get(caller) ?? 0) - 1;
    if (left > 0) taken.set(caller, left);
    else taken.delete(caller);
  }

  return {
    take(caller) {
      const own = taken.get(caller) ?? 0;
      if (own >= perCaller) {
        throw new CallerError(
          "RATE_LIMITED",
          `You have ${own} ${name} open, and more are not possible. Close one first.`,
          {
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          },
        );
      }
      if (sum >= total) throw new OverloadedError(name);
      taken.set(caller, own + 1);
      sum += 1;
      let isLeft = false;
      return {
        [Symbol.dispose]() {
          if (!isLeft) leave(caller);
          isLeft = true;
        },
      };
    },
  };
}

/** Takes a place until the answer is over, however it ends. */
export function holdUntilClosed(reply: FastifyReply, places: OpenResponseLimit, caller: string): void {
  const place = places.take(caller);
  // A client that left while it was authenticated has closed already.
  if (reply.raw.closed) place[Symbol.dispose]();
  else reply.raw.once("close", () => place[Symbol.dispose]());
}

/** Aborts when the client goes away or the service stops. */
export function abortOnClose(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return AbortSignal.any([gone.signal, stopping]);
}
