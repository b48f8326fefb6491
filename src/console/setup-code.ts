import { createHmac } from "node:crypto";
import { areEqualSecrets } from "../lib/hash.ts";

// Without the letters that are taken for digits; 32 of them, so that five bits make one.
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 16;
const GROUP = /.{4}(?=.)/g;

/** The same in every process of an installation, and another one in every other installation. */
export function makeSetupCode(key: Buffer, ownerId: string): string {
  const bytes = createHmac("sha256", key).update(ownerId).digest();
  const letters = [...bytes.subarray(0, LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return letters.join("").replace(GROUP, "$&-");
}

/** However it was typed. */
export function isSetupCode(code: string, typed: string): boolean {
  return areEqualSecrets(bare(code), bare(typed));
}

function bare(text: string): string {
  return text.toUpperCase().replace(/[^0-9A-Z]/g, "");
}
