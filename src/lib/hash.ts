import { createHash, timingSafeEqual } from "node:crypto";

/** For secrets of full entropy (tokens, codes, client secrets), which need no slow hash. */
export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** In a time that tells nothing about where they differ, nor how long they are. */
export function areEqualSecrets(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/** One text for equal JSON values, whatever the order of their keys (in the spirit of RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonicalJson).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
    return `{${entries.join(",")}}`;
  }
  return JSON.stringify(value);
}
