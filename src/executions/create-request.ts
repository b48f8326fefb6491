import {
  type CreateExecution,
  OUTPUT_SCHEMA_MAX_BYTES,
  OUTPUT_SCHEMA_MAX_DEPTH,
  PROMPT_MAX_LENGTH,
  START_URL_MAX_LENGTH,
} from "../contract/execution-request.ts";
import { CallerError, type ErrorDetail } from "../lib/errors.ts";
import { canonicalJson, sha256 } from "../lib/hash.ts";
import { codePointLength, isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";

/** Checks what the body's JSON Schema cannot express. */
export function checkCreateRequest(body: CreateExecution): void {
  const details: ErrorDetail[] = [];
  const report = (path: string, message: string | null) => {
    if (message !== null) details.push({ path, message });
  };
  report("prompt", findPromptProblem(body.prompt));
  if (typeof body.start_url === "string") report("start_url", findStartUrlProblem(body.start_url));
  if (body.output_schema)
    report(
      "output_schema",
      findOutputSchemaSizeProblem(body.output_schema) ?? findUnstorableValueProblem(body.output_schema),
    );
  if (body.metadata)
    report("metadata", hasUnstorableValue(body.metadata) ? "must not contain NUL characters or lone surrogates" : null);
  report("recipe", findRecipeProblem(body.recipe ?? "auto"));
  if (body.variables && !namesRecipe(body)) report("variables", "can only be sent together with the id of a recipe");
  if (details.length > 0) throw invalidRequest(details);
}

export function namesRecipe({ recipe }: CreateExecution): boolean {
  return recipe != null && recipe !== "auto" && recipe !== "off";
}

function findRecipeProblem(recipe: string): string | null {
  const isKnown = recipe === "auto" || recipe === "off" || parseUuid(recipe) !== null;
  return isKnown ? null : "must be auto, off or the id of a recipe";
}

export function invalidRequest(details: ErrorDetail[]): CallerError {
  const [first] = details;
  return new CallerError("INVALID_REQUEST", `The request is not valid: ${first?.path} ${first?.message}.`, { details });
}

/** Equal requests have equal hashes: key order does not matter, and null and the default mean absent. */
export function hashCreateRequest(body: CreateExecution): Buffer {
  const { recipe, ...others } = body;
  const given = recipe === "auto" ? others : body;
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return sha256(canonicalJson(present));
}

function findPromptProblem(prompt: string): string | null {
  if (!isStorableText(prompt)) return "must not contain NUL characters or lone surrogates";
  if (prompt.trim() === "") return "must not be blank";
  const length = codePointLength(prompt);
  return length > PROMPT_MAX_LENGTH ? `must have at most ${PROMPT_MAX_LENGTH} characters and has ${length}` : null;
}

export function findStartUrlProblem(startUrl: string): string | null {
  if (!isStorableText(startUrl)) return "must not contain NUL characters or lone surrogates";
  if (codePointLength(startUrl) > START_URL_MAX_LENGTH) return `must have at most ${START_URL_MAX_LENGTH} characters`;
  const url = /^https?:\/\/\S+$/i.test(startUrl) ? URL.parse(startUrl) : null;
  if (url === null) return "must be an http or https URL without spaces";
  return url.username !== "" || url.password !== "" ? "must not contain a user name or password" : null;
}

function findUnstorableValueProblem(schema: object): string | null {
  return hasUnstorableValue(schema)
    ? "must not contain NUL characters, lone surrogates or numbers that are too large"
    : null;
}

/** Values that PostgreSQL would change or reject. Recursive: the depth has been checked before. */
function hasUnstorableValue(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value === "string") return !isStorableText(value);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(value).some(([key, item]) => !isStorableText(key) || hasUnstorableValue(item));
}

/** Checks the depth first, iteratively: a hostile schema must not overflow the stack of anything recursive. */
function findOutputSchemaSizeProblem(schema: object): string | null {
  if (isDeeperThan(schema, OUTPUT_SCHEMA_MAX_DEPTH)) return `must be at most ${OUTPUT_SCHEMA_MAX_DEPTH} levels deep`;
  if (Buffer.byteLength(JSON.stringify(schema)) > OUTPUT_SCHEMA_MAX_BYTES)
    return `must have at most ${OUTPUT_SCHEMA_MAX_BYTES} bytes`;
  return null;
}

function isDeeperThan(root: object, maxDepth: number): boolean {
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item) =>
      Object.values(item).filter((child): child is object => typeof child === "object" && child !== null),
    );
  }
  return false;
}
