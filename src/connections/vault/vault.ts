import { randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import {
  BOX_OVERHEAD_BYTES,
  type BoxLabel,
  type KeyRing,
  type OpenedBox,
  openBox,
  sealBox,
  type WrappingKey,
} from "../../lib/sealed-box.ts";
import type { Credentials } from "./credentials.ts";
import type { Probe, SavedSignIn, SavedState, SealedSignIn, WrappedKey } from "./saved-sign-in.ts";

/** Seals saved sign-ins and stored credentials, each for one connection only. */
export interface Vault {
  /** Throws SignInTooLarge when the site stores more than the limit. */
  seal(connectionId: string, signIn: SavedSignIn): SealedSignIn;
  /** Throws SignInUnreadable when it was modified, was sealed for another connection, or its key is missing. */
  open(connectionId: string, sealed: SealedSignIn): SavedSignIn;
  sealCredentials(connectionId: string, credentials: Credentials): SealedSignIn;
  /** Throws SignInUnreadable. */
  openCredentials(connectionId: string, sealed: SealedSignIn): Credentials;
  /** The same data key wrapped by the newest master key; null when it already is. Throws SignInUnreadable. */
  rewrap(connectionId: string, wrapped: WrappedKey): WrappedKey | null;
}

/** It exists but cannot be decrypted. `message` says what an operator can do and reveals no content. */
export class SignInUnreadable extends Error {
  override readonly name = "SignInUnreadable";
}

/** The site stores too much in the browser. `message` is for the person signing in. */
export class SignInTooLarge extends Error {
  override readonly name = "SignInTooLarge";
}

const DATA_KEY_BYTES = 32;
const MAX_SEALED_BYTES = 8 * 1_024 * 1_024;
/** Padded, so that the length does not show how long the password is. */
const CREDENTIALS_BYTES = 4_096;

/** Everything that is sealed has its own data key, generated each time; the master key wraps only that. */
export function createVault(keyRing: KeyRing): Vault {
  /** Overwrites the content. */
  function seal(connectionId: string, purpose: Purpose, content: Buffer): SealedSignIn {
    const dataKey = randomBytes(DATA_KEY_BYTES);
    try {
      const sealedBytes = content.length + BOX_OVERHEAD_BYTES;
      if (sealedBytes > MAX_SEALED_BYTES) throw signInTooLarge(sealedBytes, MAX_SEALED_BYTES);
      return {
        ...wrap(keyRing.current(), connectionId, dataKey),
        ciphertext: sealBox(dataKey, content, contentLabel(connectionId, purpose)),
      };
    } finally {
      content.fill(0);
      dataKey.fill(0);
    }
  }

  function open<Content>(
    connectionId: string,
    purpose: Purpose,
    sealed: SealedSignIn,
    parse: (content: Buffer) => Content | null,
  ): Content {
    const dataKey = unwrap(keyRing, connectionId, sealed);
    const label = contentLabel(connectionId, purpose);
    let content: Buffer | null = null;
    try {
      content = requireOpened(openBox(dataKey, sealed.ciphertext, label), connectionId);
      const parsed = parse(content);
      if (parsed === null) throw signInChanged(connectionId);
      return parsed;
    } finally {
      dataKey.fill(0);
      content?.fill(0);
    }
  }

  return {
    seal: (connectionId, signIn) => seal(connectionId, "sign-in", serializeSignIn(signIn)),
    open: (connectionId, sealed) => open(connectionId, "sign-in", sealed, parseSignIn),

    sealCredentials: (connectionId, credentials) =>
      seal(connectionId, "credentials", Buffer.from(JSON.stringify(credentials).padEnd(CREDENTIALS_BYTES))),
    openCredentials: (connectionId, sealed) => open(connectionId, "credentials", sealed, parseCredentials),

    rewrap(connectionId, wrapped) {
      const current = keyRing.current();
      if (wrapped.keyId === current.id) return null;
      const dataKey = unwrap(keyRing, connectionId, wrapped);
      try {
        return wrap(current, connectionId, dataKey);
      } finally {
        dataKey.fill(0);
      }
    },
  };
}

function wrap({ id, key }: WrappingKey, connectionId: string, dataKey: Buffer): WrappedKey {
  return { keyId: id, wrappedKey: sealBox(key, dataKey, keyLabel(id, connectionId)) };
}

function unwrap(keyRing: KeyRing, connectionId: string, { keyId, wrappedKey }: WrappedKey): Buffer {
  const wrappingKey = keyRing.find(keyId);
  if (wrappingKey === null) throw masterKeyMissing(connectionId, keyId);
  const dataKey = requireOpened(openBox(wrappingKey.key, wrappedKey, keyLabel(keyId, connectionId)), connectionId);
  if (dataKey.length !== DATA_KEY_BYTES) throw signInChanged(connectionId);
  return dataKey;
}

function keyLabel(keyId: string, connectionId: string): BoxLabel {
  return { purpose: "data key", keyId, subjectId: connectionId };
}

type Purpose = "sign-in" | "credentials";

/** Without the master key's id: a rotation rewraps only the data key. */
function contentLabel(connectionId: string, purpose: Purpose): BoxLabel {
  return { purpose, keyId: null, subjectId: connectionId };
}

function requireOpened(opened: OpenedBox, connectionId: string): Buffer {
  switch (opened.outcome) {
    case "opened":
      return opened.content;
    case "changed":
      throw signInChanged(connectionId);
    case "unknown version":
      throw new SignInUnreadable(
        `The saved sign-in of connection ${connectionId} has format ${opened.version}, which this version of Errand does ` +
          "not support. Update Errand, or ask the user to connect again.",
      );
  }
}

function signInChanged(connectionId: string): SignInUnreadable {
  return new SignInUnreadable(
    `The saved sign-in of connection ${connectionId} was modified after it was encrypted, or belongs to another ` +
      "connection. Restore it from a backup, or ask the user to connect again.",
  );
}

function masterKeyMissing(connectionId: string, keyId: string): SignInUnreadable {
  return new SignInUnreadable(
    `The saved sign-in of connection ${connectionId} is encrypted with master key ${JSON.stringify(keyId)}, which is ` +
      "missing. Add that key to ERRAND_OTHER_SECRET_KEYS or to the key file, or ask the user to connect again.",
  );
}

const MAX_JSON_BYTES = 64 * 1_024 * 1_024;
/** Sign-ins are saved after every run: speed matters more than size. */
const COMPRESSION_LEVEL = 1;

/** The caller overwrites the bytes after use. */
function serializeSignIn(signIn: SavedSignIn): Buffer {
  const json = Buffer.from(JSON.stringify(signIn));
  try {
    if (json.length > MAX_JSON_BYTES) throw signInTooLarge(json.length, MAX_JSON_BYTES);
    return deflateRawSync(json, { level: COMPRESSION_LEVEL });
  } finally {
    json.fill(0);
  }
}

/** Null when the bytes are not a sign-in. */
function parseSignIn(bytes: Buffer): SavedSignIn | null {
  let json: Buffer | null = null;
  try {
    json = inflateRawSync(bytes, { maxOutputLength: MAX_JSON_BYTES });
    const value: unknown = JSON.parse(json.toString());
    return isSignIn(value) ? value : null;
  } catch {
    // The parser's message is dropped: it quotes the content.
    return null;
  } finally {
    json?.fill(0);
  }
}

/** Null when the bytes are not credentials. */
function parseCredentials(bytes: Buffer): Credentials | null {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isCredentials(value) ? value : null;
  } catch {
    return null;
  }
}

function isCredentials(value: unknown): value is Credentials {
  if (!isRecord(value)) return false;
  const { userName, password, totp, hosts, isHttpsOnly } = value;
  const isTotp = totp === null || (isRecord(totp) && typeof totp["secret"] === "string");
  return (
    [userName, password].every((text) => typeof text === "string") &&
    isTotp &&
    Array.isArray(hosts) &&
    typeof isHttpsOnly === "boolean"
  );
}

function signInTooLarge(bytes: number, maxBytes: number): SignInTooLarge {
  const inMegabytes = (count: number) => (count / 1_024 / 1_024).toFixed(1);
  return new SignInTooLarge(
    `The site stores ${inMegabytes(bytes)} MiB in the browser; at most ${inMegabytes(maxBytes)} MiB can be saved.`,
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
