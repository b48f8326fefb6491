import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_BYTES = 32;
const RANDOM_LENGTH = 43;
const CHECK_LENGTH = 6;

/** prefix + 256 random bits + check digits, so that secret scanners recognise a leaked one offline. */
export function mintSecret(prefix: string): string {
  const random = base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString("hex")}`), RANDOM_LENGTH);
  return prefix + random + checkDigits(prefix + random);
}

export function isWellFormedSecret(prefix: string, text: string): boolean {
  const body = text.slice(0, -CHECK_LENGTH);
  return (
    text.length === prefix.length + RANDOM_LENGTH + CHECK_LENGTH &&
    text.startsWith(prefix) &&
    text.slice(-CHECK_LENGTH) === checkDigits(body)
  );
}

function checkDigits(body: string): string {
  return base62(BigInt(crc32(body)), CHECK_LENGTH);
}

function base62(value: bigint, length: number): string {
  let digits = "";
  for (let rest = value; digits.length < length; rest /= 62n) {
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  }
  return digits;
}
