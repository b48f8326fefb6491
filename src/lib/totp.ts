import { createHmac } from "node:crypto";

/** A secret that time-based one-time codes are made of (RFC 6238), with the settings of the site that issued it. */
export interface TotpSecret {
  /** In base32, as sites show it. */
  readonly secret: string;
  readonly algorithm: "SHA1" | "SHA256" | "SHA512";
  readonly digits: 6 | 8;
  readonly periodSeconds: number;
}

/** What sites mean when they show a secret only. */
const DEFAULTS = { algorithm: "SHA1", digits: 6, periodSeconds: 30 } as const;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BITS_PER_CHARACTER = 5;
/** RFC 4226 demands 128 bits, but secrets of 80 bits are common. */
const MIN_SECRET_BYTES = 10;
const MAX_CHARACTERS = 1_000;
const MAX_PERIOD_SECONDS = 300;

/** Reads a secret in base32, with or without spaces, or an `otpauth://totp/…` URI. Null when it is neither. */
export function parseTotpSecret(text: string): TotpSecret | null {
  const given = text.trim();
  if (given.length > MAX_CHARACTERS) return null;
  return /^otpauth:/i.test(given) ? parseUri(given) : toTotpSecret(given, DEFAULTS);
}

/** The format that authenticator apps read from QR codes. */
function parseUri(text: string): TotpSecret | null {
  const url = URL.parse(text);
  if (url === null || !/^\/*totp(?:\/|$)/i.test(`${url.host}${url.pathname}`)) return null;
  const read = (name: string) => url.searchParams.get(name);
  const algorithm = (read("algorithm") ?? DEFAULTS.algorithm).toUpperCase().replace("-", "");
  const digits = Number(read("digits") ?? DEFAULTS.digits);
  const periodSeconds = Number(read("period") ?? DEFAULTS.periodSeconds);
  if (algorithm !== "SHA1" && algorithm !== "SHA256" && algorithm !== "SHA512") return null;
  if (digits !== 6 && digits !== 8) return null;
  if (!Number.isInteger(periodSeconds) || periodSeconds < 1 || periodSeconds > MAX_PERIOD_SECONDS) return null;
  return toTotpSecret(read("secret") ?? "", { algorithm, digits, periodSeconds });
}

function toTotpSecret(text: string, settings: Omit<TotpSecret, "secret">): TotpSecret | null {
  const secret = text.replace(/[\s-]/g, "").replace(/=+$/, "").toUpperCase();
  return (decodeBase32(secret)?.length ?? 0) < MIN_SECRET_BYTES ? null : { secret, ...settings };
}

/** Null when the text is not base32 (RFC 4648). Bits beyond the last whole byte are dropped. */
function decodeBase32(text: string): Buffer | null {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of text) {
    const index = ALPHABET.indexOf(character);
    if (index === -1) return null;
    value = (value << BITS_PER_CHARACTER) | index;
    bits += BITS_PER_CHARACTER;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(value >>> bits);
    value &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}

/** The code for a moment. */
export function computeTotp({ secret, algorithm, digits, periodSeconds }: TotpSecret, atMs: number): string {
  const key = decodeBase32(secret);
  if (key === null) throw new Error("The one-time code secret is not base32");
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 1_000 / periodSeconds)));
  const hash = createHmac(algorithm.toLowerCase(), key).update(counter).digest();
  // Dynamic truncation, RFC 4226 §5.3.
  const offset = hash.readUInt8(hash.length - 1) & 0xf;
  const number = hash.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** How long the code of a moment stays the current one. */
export function totpMsLeft({ periodSeconds }: TotpSecret, atMs: number): number {
  const periodMs = periodSeconds * 1_000;
  return periodMs - (atMs % periodMs);
}
