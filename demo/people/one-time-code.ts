import { randomInt } from "node:crypto";

export interface OneTimeCode {
  digits: string;
  expiresAtMs: number;
  attemptsLeft: number;
}

const VALID_MS = 10 * 60 * 1_000;
const ATTEMPTS = 5;

/** Random, because it is a secret. Apart from session ids, everything else in the shop is deterministic. */
export function issueCode(now: Date): OneTimeCode {
  return {
    digits: randomInt(1_000_000).toString().padStart(6, "0"),
    expiresAtMs: now.getTime() + VALID_MS,
    attemptsLeft: ATTEMPTS,
  };
}

/** Every attempt counts, including the correct one. */
export function tryCode(code: OneTimeCode, digits: string, now: Date): "right" | "wrong" | "used-up" {
  if (code.attemptsLeft === 0 || now.getTime() >= code.expiresAtMs) return "used-up";
  code.attemptsLeft -= 1;
  return code.digits === digits.replaceAll(/\s/g, "") ? "right" : "wrong";
}
