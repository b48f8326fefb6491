import { createSecretKey, hkdfSync } from "node:crypto";
import type { KeyRing, WrappingKey } from "../lib/sealed-box.ts";
import { hasKeyFile, openKeyFile, readKeyFile, stampKeyFile } from "./key-file.ts";

/** Every master key that the settings provide. */
interface ConfiguredKeys extends KeyRing {
  /** Ids, newest first. */
  list(): string[];
}

export interface KeySettings {
  secretKey: string | null;
  otherSecretKeys: readonly string[];
  dataDir: string;
}

/** A key added to the key file is picked up at the next `current`, `list` or `find` of an unknown id. */
export function createKeyRing({ secretKey, otherSecretKeys, dataDir }: KeySettings): ConfiguredKeys {
  const load =
    secretKey === null
      ? watchKeyFile(openKeyFile(dataDir), otherSecretKeys)
      : useFixedKeys([secretKey, ...otherSecretKeys]);
  let keys = load();
  return {
    current() {
      keys = load();
      const [newest] = keys.values();
      if (newest === undefined) throw new Error("No master key");
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

/** The ids of the existing keys, newest first. Unlike `createKeyRing`, it never creates a key. */
export function listKeyIds(settings: KeySettings): string[] {
  const { secretKey, otherSecretKeys, dataDir } = settings;
  if (secretKey !== null || hasKeyFile(dataDir)) return createKeyRing(settings).list();
  return otherSecretKeys.map(identifyKey);
}

/** The id of a master key, derived from the key itself. */
export function identifyKey(masterKey: string): string {
  return derive(masterKey, "key id", 8).toString("hex");
}

/** By id, newest first. */
type Keys = ReadonlyMap<string, WrappingKey>;

function useFixedKeys(masterKeys: readonly string[]): () => Keys {
  const keys = deriveKeys(masterKeys);
  return () => keys;
}

/** Reads the file again only after it changed. */
function watchKeyFile(path: string, otherSecretKeys: readonly string[]): () => Keys {
  let stamp = "";
  let keys: Keys = new Map();
  return () => {
    // Taken before reading: if the file is replaced in between, the next call reads it again.
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
  /** Signs the forms of server-rendered pages. */
  form: Buffer;
  /** Signs links to live views. */
  liveLink: Buffer;
  /** Generates the setup code of a new installation. */
  setup: Buffer;
}

/** Derives independent keys from the master key: one reveals nothing about another. */
export function deriveSecrets(masterKey: string): Secrets {
  return {
    session: derive(masterKey, "session", 32).toString("base64url"),
    form: derive(masterKey, "form", 32),
    liveLink: derive(masterKey, "live link", 32),
    setup: derive(masterKey, "setup", 32),
  };
}

/** The configured master key, or the newest one in the data directory, created on the first start. */
export function loadMasterKey(configured: string | null, dataDir: string): string {
  if (configured !== null) return configured;
  const [newest] = readKeyFile(openKeyFile(dataDir));
  return newest;
}

function derive(masterKey: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "errand", purpose, bytes));
}
