import type { KeyObject } from "node:crypto";

/** What is derived from one master key, to seal with. */
export interface WrappingKey {
  /** Tells nothing about the key, and is the same wherever the same master key is. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The master keys of an installation, as whoever seals sees them. */
export interface KeyRing {
  /** The newest one: everything is sealed with it. */
  current(): WrappingKey;
  find(keyId: string): WrappingKey | null;
}
