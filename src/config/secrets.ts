import { hkdfSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureDirectory } from "../lib/ensure-directory.ts";

export interface Secrets {
  /** Signs session cookies. */
  session: string;
  /** Signs the forms of the server's own pages. */
  form: Buffer;
}

const KEY_FILE = "secret.key";

/** Derives each key from the master key, so that one of them tells nothing about another. */
export function deriveSecrets(masterKey: string): Secrets {
  return {
    session: derive(masterKey, "session").toString("base64url"),
    form: derive(masterKey, "form"),
  };
}

/** The configured master key, or the one in the data directory, made there at the first start. */
export function loadMasterKey(configured: string | null, dataDir: string): string {
  if (configured !== null) return configured;
  const path = join(dataDir, KEY_FILE);
  if (!existsSync(path)) createKeyFile(dataDir, path);
  return readFileSync(path, "utf8").trim();
}

/** Written aside and linked into place: of two processes that start at once one wins, and neither reads half a key. */
function createKeyFile(dataDir: string, path: string): void {
  ensureDirectory(dataDir);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
}

function derive(masterKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "errand", purpose, 32));
}
