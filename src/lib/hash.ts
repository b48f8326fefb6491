import { createHash } from "node:crypto";

/** For secrets of full entropy (tokens, codes, client secrets), which need no slow hash. */
export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
