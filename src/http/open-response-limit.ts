import type { FastifyReply } from "fastify";
import { CallerError, OverloadedError } from "../lib/errors.ts";

/** Limits how many responses stay open (event streams, waits, downloads): per caller and in this process. */
export interface OpenResponseLimit {
  /** Disposing releases it. Throws when a limit is reached. */
  acquire(caller: string): Disposable;
}

interface OpenResponseLimitOptions {
  /** What the responses are, in the plural, for error messages. */
  name: string;
  perCaller: number;
  total: number;
}

const RETRY_AFTER_SECONDS = 5;

export function createOpenResponseLimit({ name, perCaller, total }: OpenResponseLimitOptions): OpenResponseLimit {
  const openByCaller = new Map<string, number>();
  let open = 0;

  function release(caller: string): void {
    open -= 1;
    const left = (openByCaller.get(caller) ?? 0) - 1;
    if (left > 0) openByCaller.set(caller, left);
    else openByCaller.delete(caller);
  }

  return {
    acquire(caller) {
      const own = openByCaller.get(caller) ?? 0;
      if (own >= perCaller) {
        throw new CallerError(
          "RATE_LIMITED",
          `You already have ${own} ${name} open, which is the maximum. Close one first.`,
          {
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          },
        );
      }
      if (open >= total) throw new OverloadedError(name);
      openByCaller.set(caller, own + 1);
      open += 1;
      let isReleased = false;
      return {
        [Symbol.dispose]() {
          if (!isReleased) release(caller);
          isReleased = true;
        },
      };
    },
  };
}

/** Counts the response against the limit until it ends, for whatever reason. */
export function holdUntilClosed(reply: FastifyReply, limit: OpenResponseLimit, caller: string): void {
  const held = limit.acquire(caller);
  // The client may have disconnected during authentication: then there is no "close" event to wait for.
  if (reply.raw.closed) held[Symbol.dispose]();
  else reply.raw.once("close", () => held[Symbol.dispose]());
}

/** Aborts when the client disconnects or the service stops. */
export function abortOnClose(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const closed = new AbortController();
  reply.raw.once("close", () => closed.abort());
  return AbortSignal.any([closed.signal, stopping]);
}
