const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The canonical lower-case form, or null when the text is not a UUID. */
export function parseUuid(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}

const LAST_MS = 2 ** 48 - 1;

/** The smallest UUIDv7 of that moment; ids created earlier sort before it. */
export function smallestUuidAt(time: Date): string {
  const ms = Math.min(Math.max(time.getTime(), 0), LAST_MS);
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
