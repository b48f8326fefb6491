import type { FastifyReply } from "fastify";
import type { Places } from "./places.ts";

/** Takes a place until the answer is over, however it ends. */
export function holdPlace(reply: FastifyReply, places: Places, caller: string): void {
  const place = places.take(caller);
  // A client that left while it was authenticated has closed already.
  if (reply.raw.closed) place[Symbol.dispose]();
  else reply.raw.once("close", () => place[Symbol.dispose]());
}
