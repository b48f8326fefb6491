import { areEqualSecrets, sha256 } from "../lib/hash.ts";

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export function isChallenge(text: string): boolean {
  return CHALLENGE.test(text);
}

/** RFC 7636 §4.6 for S256. A verifier without a challenge is as wrong as a challenge without a verifier. */
export function provesChallenge(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  if (!VERIFIER.test(verifier)) return false;
  return areEqualSecrets(sha256(verifier).toString("base64url"), challenge);
}
