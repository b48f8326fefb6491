import { type OpenApiDocument, referenceName, resolve, type Schema } from "./open-api-document.ts";

/** A schema without its wrapping: "or null" taken off, references followed, the elements of arrays looked at. */
export interface Shape {
  /** In words, such as "array of Execution" or "string or null". */
  type: string;
  description: string | null;
  /** The component that the fields belong to, if it has a name. */
  name: string | null;
  /** What is inside: of the object itself, or of each element. */
  fields: [name: string, field: { schema: Schema; isRequired: boolean }][];
  constraints: Constraint[];
}

export interface Constraint {
  label: string;
  values: string[];
}

export function shapeOf(document: OpenApiDocument, schema: Schema): Shape {
  const { inner, isNullable } = withoutNull(schema);
  const target = resolve(document, inner);
  const type = typeName(document, inner) + (isNullable ? " or null" : "");
  const description =
    schema.description ?? inner.description ?? (referenceName(inner) === null ? target.description : null) ?? null;
  if (target.items !== undefined) {
    const element = shapeOf(document, target.items);
    return {
      type,
      description,
      name: element.name,
      fields: element.fields,
      constraints: [...constraintsOf(target), ...element.constraints],
    };
  }
  const fields = Object.entries(target.properties ?? {}).map(([name, field]): Shape["fields"][number] => [
    name,
    { schema: field, isRequired: target.required?.includes(name) ?? false },
  ]);
  return { type, description, name: referenceName(inner), fields, constraints: constraintsOf(target) };
}

/** `T | null`, written in either of the two ways. */
function withoutNull(schema: Schema): { inner: Schema; isNullable: boolean } {
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) {
    const others = options.filter((option) => option.type !== "null");
    const [only] = others;
    if (only !== undefined && others.length === 1) return { inner: only, isNullable: options.length > 1 };
  }
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    return { inner: { ...schema, type: schema.type.filter((type) => type !== "null") }, isNullable: true };
  }
  return { inner: schema, isNullable: false };
}

function typeName(document: OpenApiDocument, schema: Schema): string {
  const reference = referenceName(schema);
  if (reference !== null) return reference;
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.map((option) => typeName(document, option)).join(" or ");
  if (schema.items !== undefined) return `array of ${shapeOf(document, schema.items).type}`;
  const type = [schema.type ?? []].flat().join(" or ");
  if (type === "") return "any";
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

function constraintsOf(schema: Schema): Constraint[] {
  const limits: Constraint[] = [
    { label: "One of", values: schema.enum !== undefined && schema.enum.length > 1 ? schema.enum.map(asText) : [] },
    {
      label: "Always",
      values:
        schema.const !== undefined ? [asText(schema.const)] : schema.enum?.length === 1 ? schema.enum.map(asText) : [],
    },
    { label: "Range", values: range(schema.minimum, schema.maximum) },
    { label: "Length", values: range(schema.minLength, schema.maxLength) },
    { label: "Elements", values: range(schema.minItems, schema.maxItems) },
    { label: "Pattern", values: schema.pattern === undefined ? [] : [schema.pattern] },
    { label: "Default", values: schema.default === undefined ? [] : [asText(schema.default)] },
  ];
  return limits.filter(({ values }) => values.length > 0);
}

function range(least: number | undefined, most: number | undefined): string[] {
  if (least === undefined) return most === undefined ? [] : [`at most ${most}`];
  return [most === undefined ? `at least ${least}` : `${least} to ${most}`];
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
