import { randomBytes } from "node:crypto";
import { createWriteStream, existsSync, statSync, type WriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { CallerError } from "../lib/caller-error.ts";

/** Writes a file that is there as a whole or not at all; another one in its place stays, unless it may be replaced. */
export async function writeFileWhole<Result>(
  path: string,
  { mayReplace }: { mayReplace: boolean },
  write: (stream: WriteStream) => Promise<Result>,
): Promise<Result> {
  const target = resolve(path);
  if (existsSync(target) && statSync(target).isDirectory()) throw isFolder(path);
  if (!mayReplace && existsSync(target)) throw alreadyThere(path);
  const draft = `${target}.${randomBytes(6).toString("hex")}.draft`;
  const file = await openDraft(draft, dirname(path));
  try {
    // Its bytes are on the disk before it has its name.
    const result = await write(createWriteStream(draft, { fd: file.fd, autoClose: false }));
    await file.sync();
    await file.close();
    if (!mayReplace && existsSync(target)) throw alreadyThere(path);
    await rename(draft, target);
    return result;
  } finally {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
  }
}

async function openDraft(draft: string, folder: string) {
  try {
    return await open(draft, "wx", 0o600);
  } catch (error) {
    const reason = (error as Error).message.replace(draft, basename(draft));
    throw new CallerError("NOT_WRITABLE", `Nothing can be written to the folder ${folder}: ${reason}`, {
      cause: error,
    });
  }
}

function isFolder(path: string): CallerError {
  return new CallerError("IS_FOLDER", `${path} is a folder. Name a file in it.`);
}

function alreadyThere(path: string): CallerError {
  return new CallerError("ALREADY_THERE", `${path} is there already. Choose another name, or replace it with --force.`);
}
