/**
 * What `form-action` must allow for a form to end at this address. By scheme, not by host: browsers hold every
 * redirect after a form to it, and an application's callback may well lead on to another host of its own.
 */
export function formTargetOf(redirectUri: string): string {
  const { protocol } = new URL(redirectUri);
  return protocol === "http:" ? "http: https:" : protocol;
}

/** Where that is, in words for the person who is sent there. */
export function returnPlaceOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (!/^https?:$/.test(url.protocol)) return `the app ${url.protocol.slice(0, -1)}`;
  return LOOPBACK.has(url.hostname) ? `a program on this computer (${url.host})` : url.host;
}

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
