import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { hasKeyFile, openKeyFile, readKeyFile, stampKeyFile } from "./key-file.ts";

/** What wraps data keys, derived from one master key. */
interface WrappingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Every master key that the settings give. Meets the vault's own interface for it. */
interface ConfiguredKeys {
  /** The newest one. */
  current(): WrappingKey;
  find(keyId: string): WrappingKey | null;
  /** The newest one first. */
  list(): string[];
}

export interface KeySettings {
  secretKey: string | null;
  otherSecretKeys: readonly string[];
  dataDir: string;
}

/** With a key file, a key that is put into it is noticed by whoever seals next, or meets it in a sign-in. */
export function createKeyRing({ secretKey, otherSecretKeys, dataDir }: KeySettings): ConfiguredKeys {
  const load =
    secretKey === null
      ? watchKeyFile(openKeyFile(dataDir), otherSecretKeys)
      : alwaysKeys(deriveKeys([secretKey, ...otherSecretKeys]));
  let keys = load();
  return {
    current() {
      keys = load();
      const [newest] = keys.values();
      if (newest === undefined) throw new Error("there is no master key");
      return newest;
    },
    find(keyId) {
      const known = keys.get(keyId);
      if (known !== undefined) return known;
      keys = load();
      return keys.get(keyId) ?? null;
    },
    list() {
      keys = load();
      return [...keys.keys()];
    },
  };
}

/** The ids of the keys that are there, the newest first. Unlike a key ring, it makes none. */
export function listKeyIds(settings: KeySettings): string[] {
  const { secretKey, otherSecretKeys, dataDir } = settings;
  if (secretKey !== null || hasKeyFile(dataDir)) return createKeyRing(settings).list();
  return otherSecretKeys.map(identifyKey);
}

/** Under which id a master key goes: derived from it, so that nobody has to keep names. */
export function identifyKey(masterKey: string): string {
  return derive(masterKey, "key id", 8).toString("hex");
}

/** By their ids, the newest first. */
type Keys = ReadonlyMap<string, WrappingKey>;

function alwaysKeys(keys: Keys): () => Keys {
  return () => keys;
}

/** Derives them anew only when the file has changed. */
function watchKeyFile(path: string, otherSecretKeys: readonly string[]): () => Keys {
  let stamp = "";
  let keys: Keys = new Map();
  return () => {
    // Before it is read: what is replaced in between is read again the next time.
    const stampNow = stampKeyFile(path);
    if (stampNow !== stamp) keys = deriveKeys([...readKeyFile(path), ...otherSecretKeys]);
    stamp = stampNow;
    return keys;
  };
}

function deriveKeys(masterKeys: readonly string[]): Keys {
  const keys = masterKeys.map((masterKey) => {
    const bytes = derive(masterKey, "wrap data keys", 32);
    const key = createSecretKey(bytes);
    bytes.fill(0);
    return { id: identifyKey(masterKey), key };
  });
  return new Map(keys.map((key) => [key.id, key]));
}

interface Secrets {
  /** Signs session cookies. */
  session: string;
  /** Signs the forms of the server's own pages. */
  form: Buffer;
  /** Makes the code by which a new installation gets its owner. */
  setup: Buffer;
}

/** Derives each key from the master key, so that one of them tells nothing about another. */
export function deriveSecrets(masterKey: string): Secrets {
  return {
    session: derive(masterKey, "session", 32).toString("base64url"),
    form: derive(masterKey, "form", 32),
    setup: derive(masterKey, "setup", 32),
  };
}

/** The configured master key, or the newest one in the data directory, made there at the first start. */
export function loadMasterKey(configured: string | null, dataDir: string): string {
  if (configured !== null) return configured;
  const [newest] = readKeyFile(openKeyFile(dataDir));
  return newest;
}

function derive(masterKey: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "errand", purpose, bytes));
}
