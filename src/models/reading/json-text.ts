/**
 * A quoted text of JSON, as the source of a pattern. One that is never closed reaches to the end: so it always matches, and
 * no text makes the reading slow.
 */
export const QUOTED = String.raw`"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)`;
