/** What an errand should return: fields that need no JSON Schema, or a schema as text. */
export type RequestedData =
  | { readonly kind: "fields"; readonly isList: boolean; readonly fields: readonly Field[] }
  | { readonly kind: "schema"; readonly text: string };

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
}

export type FieldType = keyof typeof TYPES;

type JsonSchema = Record<string, unknown>;

const TYPES = {
  text: { label: "Text", schema: { type: "string" } },
  number: { label: "Number", schema: { type: "number" } },
  boolean: { label: "Yes or no", schema: { type: "boolean" } },
  date: { label: "Date", schema: { type: "string", format: "date" } },
  url: { label: "Link", schema: { type: "string", format: "uri" } },
} as const;

export const FIELD_TYPES = Object.entries(TYPES).map(([value, { label }]) => ({ value, label }));
export const NOTHING_REQUESTED: RequestedData = { kind: "fields", isList: false, fields: [] };
/** The property that holds the entries of a list. */
const LIST_NAME = "items";

/** What has to be corrected before `toOutputSchema`. */
export function findFieldProblem(data: RequestedData): string | null {
  if (data.kind === "schema") return data.text.trim() === "" || isJsonObject(data.text) ? null : NOT_A_SCHEMA;
  const names = data.fields.map(({ name }) => toPropertyName(name));
  if (names.includes("")) return "Give each field a name, or remove it.";
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? null : `Two fields are named “${repeated}”. Give each its own name.`;
}

const NOT_A_SCHEMA = 'The schema is not valid JSON. It must be an object such as {"type": "object"}.';

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Null when nothing is requested. Throws a SyntaxError when the text is not JSON. */
export function toOutputSchema(data: RequestedData): JsonSchema | null {
  if (data.kind === "schema") return data.text.trim() === "" ? null : (JSON.parse(data.text) as JsonSchema);
  const fields = data.fields.filter(({ name }) => name.trim() !== "");
  if (fields.length === 0) return null;
  const record = toObjectSchema(fields);
  if (!data.isList) return record;
  return {
    type: "object",
    properties: { [LIST_NAME]: { type: "array", items: record } },
    required: [LIST_NAME],
    additionalProperties: false,
  };
}

function toObjectSchema(fields: readonly Field[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [toPropertyName(field.name), toProperty(field)])),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => toPropertyName(name)),
    additionalProperties: false,
  };
}

/** "Price with VAT" becomes `price_with_vat`, with the words as its title. */
function toProperty({ name, type }: Field): JsonSchema {
  const words = name.trim();
  return { ...TYPES[type].schema, ...(toPropertyName(words) === words ? {} : { title: words }) };
}

function toPropertyName(name: string): string {
  const words = name.trim();
  return /\s/.test(words) ? words.toLowerCase().replace(/\s+/g, "_") : words;
}

/** The fields of a schema that this form could have written; otherwise the schema as text. */
export function fromOutputSchema(schema: JsonSchema | null): RequestedData {
  if (schema === null) return NOTHING_REQUESTED;
  for (const isList of [true, false]) {
    const data: RequestedData = { kind: "fields", isList, fields: readFields(schema, isList) };
    // Nothing may get lost: it has to produce the same schema again.
    if (isSameSchema(toOutputSchema(data), schema)) return data;
  }
  return { kind: "schema", text: JSON.stringify(schema, null, 2) };
}

function readFields(schema: JsonSchema, isList: boolean): Field[] {
  const list = isList ? asSchema(asSchema(schema["properties"])[LIST_NAME]) : {};
  const record = isList ? asSchema(list["items"]) : schema;
  const required = Array.isArray(record["required"]) ? record["required"] : [];
  return Object.entries(asSchema(record["properties"])).map(([name, property]) => ({
    name: typeof asSchema(property)["title"] === "string" ? (asSchema(property)["title"] as string) : name,
    type: readType(asSchema(property)),
    isRequired: required.includes(name),
  }));
}

function readType({ type, format }: JsonSchema): FieldType {
  const found = Object.entries(TYPES).find(([, { schema }]) => {
    const wanted: JsonSchema = schema;
    return wanted["type"] === type && wanted["format"] === format;
  });
  return (found?.[0] ?? "text") as FieldType;
}

/** Two schemas that mean the same here: without `additionalProperties`, the result may simply hold more. */
function isSameSchema(made: JsonSchema | null, given: JsonSchema): boolean {
  return made !== null && canonical(made) === canonical(given);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === "additionalProperties" && part === false) return undefined;
    if (key === "required" && Array.isArray(part)) return part.length === 0 ? undefined : [...part].sort();
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => a.localeCompare(b)));
  });
}

function asSchema(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
