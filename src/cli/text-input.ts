import { createReadStream } from "node:fs";
import { PROMPT_MAX_LENGTH } from "../contract/execution-request.ts";
import { codePointLength, isStorableText } from "../lib/storable.ts";
import { UsageError } from "./failure.ts";

/** UTF-8 takes at most four bytes for a character, and three for the mark at the beginning. */
const MAX_BYTES = PROMPT_MAX_LENGTH * 4 + 3;

/** The text of a file that is used as a prompt; "-" is standard input. Never reads more than a prompt can have. */
export async function readPromptFile(path: string, option: string): Promise<string> {
  const limit = `A prompt has at most ${PROMPT_MAX_LENGTH.toLocaleString("en")} characters`;
  const text = await readTextFile(path, option, { maxBytes: MAX_BYTES, limit });
  const length = codePointLength(text);
  if (length > PROMPT_MAX_LENGTH)
    throw new UsageError(
      `${option}: ${nameOf(path)} is too long. ${limit}, and this has ${length.toLocaleString("en")}.`,
    );
  return text;
}

/** The text of a file; "-" is standard input. `limit` is a sentence about what is too long. */
export async function readTextFile(
  path: string,
  option: string,
  { maxBytes, limit }: { maxBytes: number; limit: string },
): Promise<string> {
  const fail = (problem: string, cause?: unknown) =>
    new UsageError(`${option}: ${nameOf(path)} ${problem}.`, { cause });
  const bytes = await readStart(path, maxBytes).catch((error: NodeJS.ErrnoException) => {
    throw fail(describeReadError(error), error);
  });
  if (bytes.length > maxBytes) throw fail(`is too long. ${limit}`);
  const text = decode(bytes);
  if (text === null || !isStorableText(text)) throw fail("is not a text in UTF-8");
  if (text.trim() === "") throw fail("is empty");
  return text;
}

function nameOf(path: string): string {
  return path === "-" ? "standard input" : path;
}

const MAX_JSON_BYTES = 32 * 1_024 * 1_024;

/** A file in JSON; "-" is standard input. Its content may be secret, so no message quotes it. */
export async function readJsonFile(path: string, option: string): Promise<unknown> {
  const name = nameOf(path);
  const bytes = await readStart(path, MAX_JSON_BYTES).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${option}: ${name} ${describeReadError(error)}.`, { cause: error });
  });
  if (bytes.length > MAX_JSON_BYTES) throw new UsageError(`${option}: ${name} is too large.`);
  try {
    return JSON.parse(decode(bytes) ?? "");
  } catch {
    throw new UsageError(`${option}: ${name} is not JSON in UTF-8.`);
  }
}

/** The lines of standard input. They may be secret, so no message quotes them. */
export async function readLines(maxBytes: number): Promise<string[]> {
  const bytes = await readStart("-", maxBytes);
  const text = bytes.length > maxBytes ? null : decode(bytes);
  if (text === null) throw new UsageError("Standard input is not a short text in UTF-8.");
  return text.split(/\r?\n/);
}

async function readStart(path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of path === "-" ? process.stdin : createReadStream(path)) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    length += (chunk as Uint8Array).length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function describeReadError({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "does not exist";
  if (code === "EISDIR") return "is a folder, not a file";
  if (code === "EACCES") return "cannot be read by this user. Change its permissions";
  return `cannot be read: ${message}`;
}
