import { randomBytes } from "node:crypto";
import type { KeyRing, WrappingKey } from "../../lib/key-ring.ts";
import { BOX_OVERHEAD_BYTES, type BoxLabel, type OpenedBox, openBox, sealBox } from "../../lib/sealed-box.ts";
import type { SealedSignIn, WrappedKey } from "./saved-sign-in.ts";
import { readSignIn, tooLarge, writeSignIn } from "./sign-in-text.ts";
import { SignInUnreadable, type Vault } from "./vault.ts";

const DATA_KEY_BYTES = 32;
const MAX_SEALED_BYTES = 8 * 1_024 * 1_024;

/** Every sign-in has a data key of its own, made anew whenever it is sealed; the master key wraps only that. */
export function createVault(keyRing: KeyRing): Vault {
  return {
    seal(connectionId, signIn) {
      const content = writeSignIn(signIn);
      const dataKey = randomBytes(DATA_KEY_BYTES);
      try {
        const sealedBytes = content.length + BOX_OVERHEAD_BYTES;
        if (sealedBytes > MAX_SEALED_BYTES) throw tooLarge(sealedBytes, MAX_SEALED_BYTES);
        return {
          ...wrap(keyRing.current(), connectionId, dataKey),
          ciphertext: sealBox(dataKey, content, contentLabel(connectionId)),
        };
      } finally {
        content.fill(0);
        dataKey.fill(0);
      }
    },

    open(connectionId, sealed) {
      const dataKey = unwrap(keyRing, connectionId, sealed);
      try {
        return openContent(dataKey, connectionId, sealed);
      } finally {
        dataKey.fill(0);
      }
    },

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
  if (wrappingKey === null) throw keyMissing(connectionId, keyId);
  const dataKey = contentOf(openBox(wrappingKey.key, wrappedKey, keyLabel(keyId, connectionId)), connectionId);
  if (dataKey.length !== DATA_KEY_BYTES) throw changed(connectionId);
  return dataKey;
}

function openContent(dataKey: Buffer, connectionId: string, { ciphertext }: SealedSignIn) {
  const content = contentOf(openBox(dataKey, ciphertext, contentLabel(connectionId)), connectionId);
  try {
    const signIn = readSignIn(content);
    if (signIn === null) throw changed(connectionId);
    return signIn;
  } finally {
    content.fill(0);
  }
}

function keyLabel(keyId: string, connectionId: string): BoxLabel {
  return { purpose: "data key", keyId, subjectId: connectionId };
}

/** Without the master key's id: when that key is changed, only the data key is wrapped anew. */
function contentLabel(connectionId: string): BoxLabel {
  return { purpose: "sign-in", keyId: null, subjectId: connectionId };
}

function contentOf(opened: OpenedBox, connectionId: string): Buffer {
  switch (opened.outcome) {
    case "opened":
      return opened.content;
    case "changed":
      throw changed(connectionId);
    case "unknown version":
      throw new SignInUnreadable(
        `The saved sign-in of connection ${connectionId} is in format ${opened.version}, which this version of Errand does ` +
          "not know. Update this process, or let the person connect again.",
      );
  }
}

function changed(connectionId: string): SignInUnreadable {
  return new SignInUnreadable(
    `The saved sign-in of connection ${connectionId} was changed since it was sealed, or was sealed for another ` +
      "connection. Restore it from a backup, or let the person connect again.",
  );
}

function keyMissing(connectionId: string, keyId: string): SignInUnreadable {
  return new SignInUnreadable(
    `The saved sign-in of connection ${connectionId} is sealed with the master key ${JSON.stringify(keyId)}, which is not ` +
      "here. Add that key to ERRAND_OTHER_SECRET_KEYS or to the key file, or let the person connect again.",
  );
}
