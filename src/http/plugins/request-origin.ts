import type { FastifyRequest } from "fastify";

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;
/** Only as browsers write them: other spellings of the same host are somebody's trick. */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
/** What stands in a request that somebody has passed on. */
const PROXY_HEADER = /^(?:x-forwarded|x-real|x-client|x-original|cf-|true-client-ip$|via$|forwarded$)/;

/**
 * Whether whoever asks sits at this machine. Behind a proxy everybody seems to: so the service must be one for this machine
 * only, by its address and by the name it was asked under, which also keeps out names that are led here on purpose.
 */
export function isLocalRequest({ headers, ip, raw }: FastifyRequest, publicUrl: string): boolean {
  return (
    !Object.keys(headers).some((name) => PROXY_HEADER.test(name)) &&
    // Proxies that say nothing of themselves often speak 1.0.
    raw.httpVersion === "1.1" &&
    LOOPBACK_ADDRESS.test(ip) &&
    isLoopbackHost(URL.parse(publicUrl)?.host) &&
    isLoopbackHost(headers.host)
  );
}

/** A host with or without a port. */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK_HOST.test(host);
}

/** A request's headers as the web platform's Headers. Where it comes from is what we found, not what it says. */
export function webHeaders(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  headers.set("x-forwarded-for", request.ip);
  return headers;
}
