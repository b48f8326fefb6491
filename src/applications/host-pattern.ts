const NAME = String.raw`(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*`;
const PATTERN = new RegExp(String.raw`^(?:${NAME}|\[[0-9a-f:.]+\])(?::\d{1,5})?$`);

/** `shop.example`, `*.shop.example`, `127.0.0.1:4010`, `[::1]:4010`, in lower case; null when it is none of these. */
export function parseHostPattern(text: string): string | null {
  const pattern = text.toLowerCase();
  return PATTERN.test(pattern) && pattern.length <= 260 ? pattern : null;
}
