/** The part of a JSON Schema that says what to look for. The rest is for the validator. */
type Shape =
  | { readonly kind: "object"; readonly properties: readonly PropertyShape[] }
  | ArrayShape
  | ScalarShape
  /** Alternatives, to be tried in order. */
  | { readonly kind: "options"; readonly options: readonly unknown[] };

export interface ArrayShape {
  readonly kind: "array";
  readonly items: unknown;
  readonly maxItems: number | null;
}

export interface ScalarShape {
  readonly kind: "scalar";
  /** Empty: any type. */
  readonly types: readonly ScalarType[];
  readonly format: string | null;
  /** Null: any value. */
  readonly values: readonly unknown[] | null;
  readonly isConst: boolean;
}

export type ScalarType = "string" | "number" | "integer" | "boolean";

export interface PropertyShape {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

export interface Resolved {
  readonly shape: Shape;
  readonly isNullable: boolean;
  readonly title: string;
  readonly description: string;
  /** The schema that the references led to: the same object for the same schema. */
  readonly source: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

const SCALARS: readonly string[] = ["string", "number", "integer", "boolean"];
const MAX_HOPS = 20;

/** Follows references and separates "or null". Null for a schema that allows nothing or refers to itself. */
export function resolveSchema(schema: unknown, root: unknown, hops = 0): Resolved | null {
  if (schema === true) return { shape: anyScalar(), isNullable: true, title: "", description: "", source: schema };
  if (!isSchema(schema) || hops > MAX_HOPS) return null;
  const reference = own(schema, "$ref");
  if (typeof reference === "string") {
    const target = findTarget(reference, root);
    const resolved = resolveSchema(target, root, hops + 1);
    return resolved === null ? null : { ...resolved, ...describe(schema, resolved) };
  }
  const allOf = own(schema, "allOf");
  if (Array.isArray(allOf)) {
    const { allOf: _, ...rest } = schema;
    const merged = resolveSchema(mergeAll([rest, ...allOf], root, hops), root, hops + 1);
    return merged === null ? null : { ...merged, source: schema };
  }
  const options = own(schema, "anyOf") ?? own(schema, "oneOf");
  if (Array.isArray(options)) return resolveOptions(schema, options, root, hops);
  return { shape: toShape(schema), isNullable: allowsNull(schema), source: schema, ...describe(schema) };
}

function resolveOptions(schema: Schema, options: readonly unknown[], root: unknown, hops: number): Resolved | null {
  const others = options.filter((option) => !(isSchema(option) && own(option, "type") === "null"));
  const isNullable = others.length < options.length;
  const [only] = others;
  if (others.length !== 1)
    return { shape: { kind: "options", options: others }, isNullable, source: schema, ...describe(schema) };
  const resolved = resolveSchema(only, root, hops + 1);
  if (resolved === null) return null;
  return { ...resolved, isNullable: isNullable || resolved.isNullable, ...describe(schema, resolved) };
}

function describe(schema: Schema, inner = { title: "", description: "" }): { title: string; description: string } {
  const [title, description] = [own(schema, "title"), own(schema, "description")];
  return {
    title: typeof title === "string" ? title : inner.title,
    description: typeof description === "string" ? description : inner.description,
  };
}

/** Only into the schema itself: "#/$defs/product". */
function findTarget(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return null;
  let target = root;
  // Split before decoding, as Ajv does: "#/$defs/a%2Fb" is the definition "a/b".
  for (const step of reference.split("/").slice(1)) {
    const key = unescapeStep(decodeURIComponent(step.replace(/%(?![0-9a-f]{2})/gi, "%25")));
    if (!(isSchema(target) || Array.isArray(target)) || !Object.hasOwn(target, key)) return null;
    target = (target as Schema)[key];
  }
  return target;
}

/** Later keywords win; properties and required names add up. */
function mergeAll(schemas: readonly unknown[], root: unknown, hops: number): Schema {
  const parts = schemas.map((part) => followOnce(part, root, hops)).filter(isSchema);
  const properties = parts.flatMap((part) => Object.entries(own(part, "properties") ?? {}));
  const required = parts.flatMap((part) => own(part, "required") ?? []);
  const merged = Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
  return { ...merged, ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}), required };
}

function followOnce(part: unknown, root: unknown, hops: number): unknown {
  const reference = isSchema(part) ? own(part, "$ref") : undefined;
  return typeof reference === "string" && hops < MAX_HOPS ? findTarget(reference, root) : part;
}

function toShape(schema: Schema): Shape {
  const types = typesOf(schema);
  const properties = own(schema, "properties");
  if (types.includes("object") || (types.length === 0 && isSchema(properties))) {
    const required = own(schema, "required");
    const names = new Set(Array.isArray(required) ? required : []);
    const entries = isSchema(properties) ? Object.entries(properties) : [];
    return {
      kind: "object",
      properties: entries.map(([name, inner]) => ({ name, schema: inner, isRequired: names.has(name) })),
    };
  }
  if (types.includes("array")) {
    const [items, maxItems] = [own(schema, "items"), own(schema, "maxItems")];
    return { kind: "array", items: items ?? true, maxItems: typeof maxItems === "number" ? maxItems : null };
  }
  const values = own(schema, "enum");
  const isConst = Object.hasOwn(schema, "const");
  return {
    kind: "scalar",
    types: types.filter((type): type is ScalarType => SCALARS.includes(type)),
    format: typeof schema["format"] === "string" ? schema["format"] : null,
    values: isConst ? [schema["const"]] : Array.isArray(values) ? values.filter((value) => value !== null) : null,
    isConst,
  };
}

function anyScalar(): ScalarShape {
  return { kind: "scalar", types: [], format: null, values: null, isConst: false };
}

function allowsNull(schema: Schema): boolean {
  const values = own(schema, "enum");
  return typesOf(schema).includes("null") || (Array.isArray(values) && values.includes(null));
}

function typesOf(schema: Schema): readonly string[] {
  const type = own(schema, "type");
  return Array.isArray(type) ? type.map(String) : typeof type === "string" ? [type] : [];
}

function own(schema: Schema, key: string): unknown {
  return Object.hasOwn(schema, key) ? schema[key] : undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON pointer one step further. */
export function pointTo(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

/** The steps of a JSON pointer. */
export function parsePointer(pointer: string): string[] {
  return pointer.split("/").slice(1).map(unescapeStep);
}

function unescapeStep(step: string): string {
  return step.replace(/~1/g, "/").replace(/~0/g, "~");
}
