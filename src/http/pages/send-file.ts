import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Something that pages are made of. */
interface File {
  type: string;
  content: string;
  tag: string;
}

export function toFile(type: string, content: string): File {
  return { type, content, tag: `"${createHash("sha256").update(content).digest("base64url")}"` };
}

/** Asked for again each time, so that a page never meets the stylesheet or the script of another version. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, { type, content, tag }: File): FastifyReply {
  reply.header("etag", tag).header("cache-control", "no-cache").header("x-content-type-options", "nosniff");
  if (request.headers["if-none-match"]?.includes(tag)) return reply.code(304).send();
  return reply.type(type).send(content);
}
