const BASE = "http://errand.invalid";
const MAX_LENGTH = 16_384;

/** An address of this service to go on to, as path and query; `/` for anything else. */
export function parseLocalPath(text: unknown): string {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return "/";
  const url = URL.parse(text, BASE);
  if (url === null || url.origin !== BASE || !text.startsWith("/")) return "/";
  // "/.//elsewhere" is a path of ours, but read again by itself it names another host.
  return url.pathname.startsWith("//") ? "/" : url.pathname + url.search;
}
