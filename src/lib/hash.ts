import { createHash, timingSafeEqual } from "node:crypto";

/** For secrets of full entropy (tokens, codes, client secrets), which need no slow hash. */
export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** In a time that tells nothing about where they differ, nor how long they are. */
export function areEqualSecrets(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
