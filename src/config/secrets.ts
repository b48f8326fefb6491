import { hkdfSync } from "node:crypto";
import { openKeyFile, readKeyFile } from "./key-file.ts";

export interface Secrets {
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

export function derive(masterKey: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "errand", purpose, bytes));
}
