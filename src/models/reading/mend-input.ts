import type { ErrorObject } from "ajv/dist/2020.js";
import { parseModelJson } from "./parse-json.ts";

/**
 * Puts right in place what small models get wrong in ways that leave no doubt of what is meant: null for what is left out,
 * a number or true and false as text, a list or object as text. Answers whether anything was changed.
 */
export function mendInput(input: object, errors: readonly ErrorObject[]): boolean {
  let mended = false;
  for (const error of errors) {
    const place = findPlace(input, error.instancePath);
    if (place === null) continue;
    const { holder, key } = place;
    const value = holder[key];
    if (value === null && !Array.isArray(holder)) {
      delete holder[key];
      mended = true;
    } else if (error.keyword === "type" && typeof value === "string") {
      const meant = readAs([error.params["type"]].flat() as string[], value);
      if (meant !== undefined) {
        holder[key] = meant;
        mended = true;
      }
    }
  }
  return mended;
}

interface Place {
  holder: Record<string, unknown>;
  key: string;
}

/** By JSON Pointer. Null for the input as a whole, and where an earlier mending took the place away. */
function findPlace(input: object, pointer: string): Place | null {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = keys.pop();
  let holder: unknown = input;
  for (const step of keys) {
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step)) return null;
    holder = (holder as Record<string, unknown>)[step];
  }
  if (key === undefined || typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return null;
  return { holder: holder as Record<string, unknown>, key };
}

function readAs(types: readonly string[], text: string): unknown {
  if (types.some((type) => type === "number" || type === "integer") && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) {
    return Number(text);
  }
  if (types.includes("boolean") && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const opening = text.trimStart()[0];
  if ((types.includes("array") && opening === "[") || (types.includes("object") && opening === "{")) {
    const parsed = parseModelJson(text);
    return parsed.ok ? parsed.value : undefined;
  }
  return undefined;
}
