export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** False for NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot encode. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Replaces what cannot be stored. Pages contain anything. */
export function toStorableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

/** Tried in turn until the value fits. */
const LIMITS = [
  { textLength: 20_000, items: 1_000 },
  { textLength: 4_000, items: 200 },
  { textLength: 1_000, items: 50 },
  { textLength: 200, items: 20 },
  { textLength: 50, items: 8 },
];
const MAX_DEPTH = 200;

/** A copy that can be stored as JSON: no NUL, no lone surrogates, no values that JSON does not have. */
export function toStorableJson<Value>(value: Value): Value {
  return copy(value, { textLength: Number.POSITIVE_INFINITY, items: Number.POSITIVE_INFINITY }, 0) as Value;
}

/**
 * Like `toStorableJson`, but at most `maxBytes` long: long texts say how much was left out, lists are cut, and the object gets
 * `truncated: true`. It keeps its own keys, so that it still has the shape that readers expect.
 */
export function toBoundedJson(value: object, maxBytes: number): object {
  const whole = toStorableJson(value);
  if (byteLength(whole) <= maxBytes) return whole;
  for (const limits of LIMITS) {
    const shortened = { ...(copy(value, limits, 0) as object), truncated: true };
    if (byteLength(shortened) <= maxBytes) return shortened;
  }
  return { truncated: true };
}

interface Limits {
  textLength: number;
  items: number;
}

function copy(value: unknown, limits: Limits, depth: number): unknown {
  if (typeof value === "string") return shorten(value, limits.textLength);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean" || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value !== "object") return null;
  if (depth >= MAX_DEPTH) return "… left out: too deep";
  return Array.isArray(value) ? copyList(value, limits, depth) : copyRecord(value, limits, depth);
}

function copyList(list: readonly unknown[], limits: Limits, depth: number): unknown[] {
  return list.slice(0, limits.items).map((item) => copy(item, limits, depth + 1));
}

function copyRecord(record: object, limits: Limits, depth: number): object {
  const entries = Object.entries(record).filter(([, item]) => item !== undefined);
  const kept = entries
    .slice(0, depth === 0 ? entries.length : limits.items)
    .map(([key, item]) => [shorten(key, limits.textLength), copy(item, limits, depth + 1)]);
  return Object.fromEntries(kept);
}

function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return toStorableText(text);
  return `${toStorableText(text.slice(0, maxLength))}… (${text.length - maxLength} more characters left out)`;
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
