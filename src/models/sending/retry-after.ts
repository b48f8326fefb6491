/** How long the provider wants us to wait; null when it does not say. */
export function readRetryAfterMs(headers: Headers, now: Date): number | null {
  const milliseconds = readNumber(headers.get("retry-after-ms"));
  if (milliseconds !== null) return milliseconds;
  const given = headers.get("retry-after");
  const seconds = readNumber(given);
  if (seconds !== null) return seconds * 1_000;
  const at = Date.parse(given ?? "");
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

function readNumber(text: string | null): number | null {
  return text !== null && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null;
}
