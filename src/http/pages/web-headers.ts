import type { FastifyRequest } from "fastify";

/** A request's headers as the web platform's Headers. Where it comes from is what we found, not what it says. */
export function webHeaders(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  headers.set("x-forwarded-for", request.ip);
  return headers;
}
