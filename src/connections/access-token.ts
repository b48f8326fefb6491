import { sha256 } from "../lib/hash.ts";
import { isWellFormedSecret, mintSecret } from "../lib/secret-token.ts";

const PREFIX = "errand_ct_";

export function mintAccessToken(): { token: string; tokenHash: Buffer } {
  const token = mintSecret(PREFIX);
  return { token, tokenHash: sha256(token) };
}

/** Null for a text that no token of ours can be: it needs no look-up. */
export function hashAccessToken(token: string): Buffer | null {
  return isWellFormedSecret(PREFIX, token) ? sha256(token) : null;
}
