import type { FastifyRequest } from "fastify";

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
const LOOPBACK_NAME = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** What stands in a request that somebody has passed on. */
const PASSED_ON = ["forwarded", "via", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * Whether whoever asks sits at this machine. Behind a proxy everybody seems to: so the service must be one for this machine
 * only, by its address and by the name it was asked under, which also keeps out names that are led here on purpose.
 */
export function isLocalRequest(
  request: FastifyRequest,
  { publicUrl, trustProxy }: { publicUrl: string; trustProxy: boolean },
): boolean {
  const { headers, ip } = request;
  const isPassedOn =
    PASSED_ON.some((name) => headers[name] !== undefined) || (!trustProxy && headers["x-forwarded-for"] !== undefined);
  return (
    !isPassedOn && LOOPBACK.test(ip) && isLoopbackAddress(publicUrl) && isLoopbackAddress(`http://${headers.host}`)
  );
}

function isLoopbackAddress(address: string): boolean {
  return LOOPBACK_NAME.test(URL.parse(address)?.hostname ?? "");
}
