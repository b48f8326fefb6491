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
    report("output_schema", refuseOutputSchemaSize(body.output_schema) ?? refuseOddValues(body.output_schema));
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
  const url = /^https?:\/\/\S+$/i.test(startUrl) ? URL.parse(startUrl) : null;
  if (url === null) return "must be an http or https address, without spaces";
  return url.username !== "" || url.password !== "" ? "must not contain a user name or password" : null;
}

function refuseOddValues(schema: object): string | null {
  return hasOddValue(schema) ? "must not contain NUL characters, lone surrogates or numbers that are too large" : null;
}

/** What would come back from the store as something else, or not at all. The depth was checked before. */
function hasOddValue(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value === "string") return !isStorableText(value);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, item]) => !isStorableText(key) || hasOddValue(item));
}
