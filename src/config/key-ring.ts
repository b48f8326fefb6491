import { createSecretKey, type KeyObject } from "node:crypto";
import { hasKeyFile, openKeyFile, readKeyFile, stampKeyFile } from "./key-file.ts";
import { derive } from "./secrets.ts";

/** What wraps data keys, derived from one master key. */
interface WrappingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Every master key that the settings give. Meets the vault's own interface for it. */
export interface ConfiguredKeys {
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
      : keepKeys(deriveKeys([secretKey, ...otherSecretKeys]));
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

function keepKeys(keys: Keys): () => Keys {
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
