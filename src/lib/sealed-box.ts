import { type CipherKey, createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";

/** What a box is for. A box does not open with another label, even with the right key. */
export interface BoxLabel {
  readonly purpose: string;
  /** Null for boxes that must survive a change of the master key. */
  readonly keyId: string | null;
  /** The connection or webhook it belongs to. */
  readonly subjectId: string;
}

export type OpenedBox =
  | { outcome: "opened"; content: Buffer }
  | { outcome: "changed" }
  | { outcome: "unknown version"; version: number };

const CIPHER = "aes-256-gcm";
const VERSION = 1;
const NONCE_START = 1;
const NONCE_BYTES = 12;
const CONTENT_START = NONCE_START + NONCE_BYTES;
const TAG_BYTES = 16;

export const BOX_OVERHEAD_BYTES = CONTENT_START + TAG_BYTES;

/** Version byte, nonce, ciphertext, tag. */
export function sealBox(key: CipherKey, content: Buffer, label: BoxLabel): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(encodeLabel(label));
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

export function openBox(key: CipherKey, box: Buffer, label: BoxLabel): OpenedBox {
  const [version] = box;
  if (version === undefined || box.length < BOX_OVERHEAD_BYTES) return { outcome: "changed" };
  if (version !== VERSION) return { outcome: "unknown version", version };
  const decipher = createDecipheriv(CIPHER, key, box.subarray(NONCE_START, CONTENT_START), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(encodeLabel(label));
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  const content = decipher.update(box.subarray(CONTENT_START, -TAG_BYTES));
  try {
    // Throws when the tag does not match. Until then the content is not authenticated.
    decipher.final();
  } catch {
    content.fill(0);
    return { outcome: "changed" };
  }
  return { outcome: "opened", content };
}

/** JSON, so that different labels never encode to the same bytes. */
function encodeLabel({ purpose, keyId, subjectId }: BoxLabel): Buffer {
  return Buffer.from(JSON.stringify(["errand", VERSION, purpose, keyId, subjectId]));
}

/** Derived from one master key. */
export interface WrappingKey {
  /** Derived from the master key without revealing it, so it is the same on every machine. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The keys of an installation that seal and open boxes. */
export interface KeyRing {
  /** The newest key, with which everything new is sealed. */
  current(): WrappingKey;
  find(keyId: string): WrappingKey | null;
}
