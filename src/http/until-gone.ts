import type { FastifyReply } from "fastify";

/** Aborts when the client goes away or the service stops. */
export function untilGone(reply: FastifyReply, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return AbortSignal.any([gone.signal, stopping]);
}
