import { isIP } from "node:net";

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_LENGTH = 253;

/**
 * One spelling for each host, the one the browser itself would arrive at: the URL standard turns `0x7f.1` and
 * `2130706433` into `127.0.0.1`, lowers case and encodes other scripts. IPv6 comes without brackets, a name without its
 * last dot. Null when the text is no host.
 */
export function canonicalHost(text: string): string | null {
  const isBracketed = /^\[[0-9a-f:.]+\]$/i.test(text);
  // The URL parser would take these apart and find a host in "good.example@evil.example".
  if (!isBracketed && /[\s/?#@\\:[\]%]/.test(text)) return null;
  const hostname = URL.parse(`http://${text}/`)?.hostname;
  if (hostname === undefined) return null;
  if (isBracketed) return hostname.slice(1, -1);
  if (isIP(hostname) !== 0) return hostname;
  const name = hostname.replace(/\.$/, "");
  return name.length <= MAX_NAME_LENGTH && name.split(".").every((label) => LABEL.test(label)) ? name : null;
}
