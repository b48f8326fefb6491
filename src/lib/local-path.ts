const BASE = "http://errand.invalid";
const MAX_LENGTH = 16_384;

/** Path and query of a URL on this service, safe to redirect to; `/` for anything else. */
export function parseLocalPath(text: unknown): string {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return "/";
  const url = URL.parse(text, BASE);
  if (url === null || url.origin !== BASE || !text.startsWith("/")) return "/";
  // "/.//elsewhere" resolves to the path "//elsewhere", which a browser would read as another host.
  return url.pathname.startsWith("//") ? "/" : url.pathname + url.search;
}
