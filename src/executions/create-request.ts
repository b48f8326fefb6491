import { type CreateExecution, PROMPT_MAX_LENGTH, START_URL_MAX_LENGTH } from "../contract/execution.ts";
import { CallerError, type ErrorDetail } from "../lib/caller-error.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { sha256 } from "../lib/hash.ts";
import { codePointLength, isStorableText } from "../lib/text.ts";
import { refuseOutputSchemaSize } from "./output-schema-size.ts";

/** Everything about the body that its schema cannot say. */
export function checkCreateRequest(body: CreateExecution): void {
  const details: ErrorDetail[] = [];
  const report = (path: string, message: string | null) => {
    if (message !== null) details.push({ path, message });
  };
  report("prompt", refusePrompt(body.prompt));
  if (typeof body.start_url === "string") report("start_url", refuseStartUrl(body.start_url));
  if (body.output_schema)
    report("output_schema", refuseOutputSchemaSize(body.output_schema) ?? refuseText(body.output_schema));
  if (details.length > 0) throw invalidRequest(details);
}

export function invalidRequest(details: ErrorDetail[]): CallerError {
  const [first] = details;
  return new CallerError("INVALID_REQUEST", `The request is not valid: ${first?.path} ${first?.message}.`, { details });
}

/** Equal requests have equal hashes: key order does not matter, and null means absent. */
export function hashCreateRequest(body: CreateExecution): Buffer {
  const present = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  return sha256(canonicalJson(present));
}

function refusePrompt(prompt: string): string | null {
  if (!isStorableText(prompt)) return "must not contain NUL characters or lone surrogates";
  if (prompt.trim() === "") return "must not be blank";
  const length = codePointLength(prompt);
  return length > PROMPT_MAX_LENGTH ? `must have at most ${PROMPT_MAX_LENGTH} characters and has ${length}` : null;
}

function refuseStartUrl(startUrl: string): string | null {
  if (!isStorableText(startUrl)) return "must not contain NUL characters or lone surrogates";
  if (codePointLength(startUrl) > START_URL_MAX_LENGTH) return `must have at most ${START_URL_MAX_LENGTH} characters`;
  const url = URL.parse(startUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an http or https address";
  return url.username !== "" || url.password !== "" ? "must not contain a user name or password" : null;
}

function refuseText(schema: object): string | null {
  return isStorableText(JSON.stringify(schema)) && !hasOddText(schema)
    ? null
    : "must not contain NUL characters or lone surrogates";
}

// JSON.stringify escapes what is looked for, so every key and string is visited.
function hasOddText(value: unknown): boolean {
  if (typeof value === "string") return !isStorableText(value);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, item]) => !isStorableText(key) || hasOddText(item));
}
