/** RFC 9110, 7.6.1: about one connection and not about the message. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** `Connection` may name more of them, but not those that say where the message goes and where it ends. */
const NEVER_NAMED = new Set(["host", "content-length"]);

/**
 * The headers of a message for the next hop, spelled and ordered as they came; `replaced` (in small letters) are left
 * out because the caller sets them anew.
 */
export function endToEndHeaders(rawHeaders: readonly string[], replaced: readonly string[] = []): string[] {
  const pairs = pairsOf(rawHeaders);
  const dropped = new Set([...HOP_BY_HOP, ...replaced]);
  for (const [name, value] of pairs) {
    if (name.toLowerCase() !== "connection") continue;
    for (const token of value.toLowerCase().split(",")) if (!NEVER_NAMED.has(token.trim())) dropped.add(token.trim());
  }
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

function pairsOf(rawHeaders: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  }
  return pairs;
}
