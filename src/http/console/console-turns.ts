import type { FastifyRequest } from "fastify";
import { createTurns } from "../../lib/turns.ts";
import type { App } from "../app.ts";

const MAX_WAITING = 200;

/**
 * Lists and sums take longer than anything an application asks for: so many at a time leave the database to the others.
 * A turn ends with the answer's first byte, so that streams and downloads hold none.
 */
export function takeTurns(scope: App, atOnce: number): void {
  const turns = createTurns(atOnce, MAX_WAITING);
  const ends = new WeakMap<FastifyRequest, () => void>();
  scope.addHook("preHandler", async (request, reply) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    ends.set(request, end);
    reply.raw.once("close", end);
    const { promise: begun, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const hold = () => {
      begin();
      return over;
    };
    turns.take(hold).catch(refuse);
    await begun;
  });
  scope.addHook("onSend", async (request) => ends.get(request)?.());
}
