import { hash, timingSafeEqual } from "node:crypto";

/** For high-entropy secrets (tokens, codes, client secrets), which need no slow hash. */
export function sha256(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** Constant-time comparison that leaks neither the position of a difference nor the lengths. */
export function areEqualSecrets(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

/** The same text for equal JSON values, whatever the order of their keys (in the spirit of RFC 8785). */
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
