import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ensureDirectory } from "../lib/ensure-directory.ts";
import { describeError } from "../lib/errors.ts";

/** Master keys, newest first. */
export type MasterKeys = readonly [string, ...string[]];

const KEY_FILE = "secret.key";
const MIN_KEY_LENGTH = 32;

/** The path of the key file in the data directory. Creates the file if it is missing. */
export function openKeyFile(dataDir: string): string {
  const path = join(dataDir, KEY_FILE);
  if (!existsSync(path)) {
    ensureDirectory(dataDir);
    writeViaDraft(path, [generateKey()], linkUnlessPresent);
  }
  return path;
}

export function hasKeyFile(dataDir: string): boolean {
  return existsSync(join(dataDir, KEY_FILE));
}

/** Puts these keys in front of those in the key file. */
export function addNewestKeys(dataDir: string, keys: MasterKeys): void {
  const path = join(dataDir, KEY_FILE);
  if (!existsSync(path)) {
    ensureDirectory(dataDir);
    writeViaDraft(path, keys, linkUnlessPresent);
  }
  const [newest, ...others] = keys;
  const older = readKeyFile(path).filter((key) => !keys.includes(key));
  replaceKeyFile(path, [newest, ...others, ...older]);
}

export function readKeyFile(path: string): MasterKeys {
  return parseKeys(readKeyText(path), `The key file ${path}`);
}

export function readKeyText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const isForbidden = /^(EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? "");
    const advice = isForbidden ? " Run this command as the owner of the file." : "";
    throw new Error(`Cannot read the key file ${path}: ${describeError(error)}.${advice}`, { cause: error });
  }
}

/** `subject` starts the error message, such as "The key file /data/secret.key". */
export function parseKeys(text: string, subject: string): MasterKeys {
  const [newest, ...others] = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (newest === undefined) throw new Error(`${subject} is empty. Restore it from a backup.`);
  if ([newest, ...others].some((key) => key.length < MIN_KEY_LENGTH)) {
    throw new Error(`${subject} has a line of fewer than ${MIN_KEY_LENGTH} characters. Restore it from a backup.`);
  }
  return [newest, ...others];
}

/**
 * Replaces the file atomically. Only one process may do this at a time. The file keeps its owner, so that a service that
 * runs as another user can still read it.
 */
export function replaceKeyFile(path: string, keys: MasterKeys): void {
  const target = realpathSync(path);
  const { uid, gid } = statSync(target);
  writeViaDraft(target, keys, (draft) => {
    chownSync(draft, uid, gid);
    renameSync(draft, target);
  });
}

/** Changes whenever the file is replaced or modified. */
export function stampKeyFile(path: string): string {
  const { ino, mtimeNs, size } = statSync(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

export function generateKey(): string {
  return randomBytes(32).toString("base64url");
}

/** Flushed to disk before anything can be sealed with a new key. */
function writeViaDraft(path: string, keys: MasterKeys, putInPlace: (draft: string, path: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, keys.map((key) => `${key}\n`).join(""), { mode: 0o600, flag: "wx", flush: true });
    putInPlace(draft, path);
    flushDirectory(dirname(path));
  } finally {
    rmSync(draft, { force: true });
  }
}

function flushDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** If two processes start at the same time, one wins. */
function linkUnlessPresent(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
