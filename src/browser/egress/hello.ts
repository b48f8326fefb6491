import type { Destination } from "./destination.ts";

/** RFC 6761, 6.4: never a real name. The proxy answers for it, so that a browser can show its credentials there. */
const HELLO_HOST = "hello.errand.invalid";

export const HELLO_URL = `http://${HELLO_HOST}/`;

export function isHello(destination: Destination | null): boolean {
  return destination?.host === HELLO_HOST && destination.port === 80;
}
