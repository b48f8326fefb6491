import type { FastifyRequest } from "fastify";

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/;
/** Only the spellings that browsers use. Others are likely an attack. */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
/** Headers that proxies add. */
const PROXY_HEADER = /^(?:x-forwarded|x-real|x-client|x-original|cf-|true-client-ip$|via$|forwarded$)/;

/**
 * Whether the request comes from this machine. Behind a proxy every request seems to: so the public URL and the Host header
 * must be loopback too. That also rules out DNS rebinding.
 */
export function isLocalRequest({ headers, ip, raw }: FastifyRequest, publicUrl: string): boolean {
  return (
    !Object.keys(headers).some((name) => PROXY_HEADER.test(name)) &&
    // Proxies that add no headers often use HTTP/1.0.
    raw.httpVersion === "1.1" &&
    LOOPBACK_ADDRESS.test(ip) &&
    isLoopbackHost(URL.parse(publicUrl)?.host) &&
    isLoopbackHost(headers.host)
  );
}

/** The host may include a port. */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK_HOST.test(host);
}

/** The request's headers as a web-standard Headers object, with the client address that we determined ourselves. */
export function webHeaders(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  headers.set("x-forwarded-for", request.ip);
  return headers;
}
