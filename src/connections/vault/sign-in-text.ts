import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Probe, SavedSignIn, SavedState } from "./saved-sign-in.ts";
import { SignInTooLarge } from "./vault.ts";

const MAX_BYTES = 64 * 1_024 * 1_024;
/** Sign-ins are saved after every run: quick matters more than small. */
const LEVEL = 1;

/** A sign-in as bytes, to be overwritten after use. */
export function writeSignIn(signIn: SavedSignIn): Buffer {
  const json = Buffer.from(JSON.stringify(signIn));
  try {
    if (json.length > MAX_BYTES) throw tooLarge(json.length, MAX_BYTES);
    return deflateRawSync(json, { level: LEVEL });
  } finally {
    json.fill(0);
  }
}

/** Null for bytes that are no sign-in. */
export function readSignIn(bytes: Buffer): SavedSignIn | null {
  let json: Buffer | null = null;
  try {
    json = inflateRawSync(bytes, { maxOutputLength: MAX_BYTES });
    const value: unknown = JSON.parse(json.toString());
    return isSignIn(value) ? value : null;
  } catch {
    // What the parser says quotes the text.
    return null;
  } finally {
    json?.fill(0);
  }
}

export function tooLarge(bytes: number, maxBytes: number): SignInTooLarge {
  const inMegabytes = (count: number) => (count / 1_024 / 1_024).toFixed(1);
  return new SignInTooLarge(
    `The site keeps ${inMegabytes(bytes)} MiB in the browser, and at most ${inMegabytes(maxBytes)} MiB can be saved.`,
  );
}

function isSignIn(value: unknown): value is SavedSignIn {
  return isRecord(value) && isRecord(value.state) && isProbe(value.probe);
}

function isProbe(value: unknown): value is Probe {
  return isRecord(value) && typeof value.url === "string" && isText(value.mustSee) && isText(value.mustNotSee);
}

function isRecord(value: unknown): value is SavedState {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string | null {
  return typeof value === "string" || value === null;
}
