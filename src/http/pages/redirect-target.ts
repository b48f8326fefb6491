/** What `form-action` must name for a form to end at this address. */
export function formTargetOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  // A CSP source knows no IPv6 address and no underscore (CSP3 §2.3.1): then the scheme has to do.
  const isNameable = /^https?:$/.test(url.protocol) && /^[a-z0-9.-]+$/.test(url.hostname);
  return isNameable ? url.origin : url.protocol;
}

/** Where that is, in words for the person who is sent there. */
export function returnPlaceOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (!/^https?:$/.test(url.protocol)) return `the app ${url.protocol.slice(0, -1)}`;
  return LOOPBACK.has(url.hostname) ? `a program on this computer (${url.host})` : url.host;
}

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
