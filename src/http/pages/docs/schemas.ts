import { type Html, html } from "../../../lib/html.ts";

/** The part of OpenAPI 3.1 that the reference shows. */
export interface OpenApiDocument {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, SecurityScheme> };
}

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses?: Record<string, Response>;
  security?: Record<string, string[]>[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
}

export interface Response {
  description?: string;
  content?: Record<string, Media>;
}

interface Media {
  schema?: Schema;
  example?: unknown;
}

interface SecurityScheme {
  type: string;
  scheme?: string;
  description?: string;
}

export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}

/** One endpoint, with what the document says about it in other places. */
export interface Endpoint {
  id: string;
  method: string;
  path: string;
  operation: Operation;
}

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

export function listEndpoints(document: OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (!METHODS.has(method)) return [];
      return [
        {
          id: operation.operationId ?? `${method}${path.replaceAll(/\W+/g, "-")}`,
          method: method.toUpperCase(),
          path,
          operation,
        },
      ];
    }),
  );
}

const LOCAL = "#/components/schemas/";

/** The name under which a reference is listed, or null for a schema that stands here itself. */
export function referenceName(schema: Schema): string | null {
  return schema.$ref?.startsWith(LOCAL) ? schema.$ref.slice(LOCAL.length) : null;
}

export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const name = referenceName(schema);
  return name === null ? schema : (document.components?.schemas?.[name] ?? {});
}

/** A schema without its wrapping: "or null" taken off, references followed, the elements of arrays looked at. */
interface Shape {
  /** In words, such as "array of Execution" or "string or null". */
  type: string;
  description: string | null;
  /** The component that the fields belong to, if it has a name. */
  name: string | null;
  /** What is inside: of the object itself, or of each element. */
  fields: [name: string, field: { schema: Schema; isRequired: boolean }][];
  constraints: Constraint[];
}

interface Constraint {
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

interface Field {
  name: string;
  schema: Schema;
  /** "optional" is said of what is sent, "may be absent" of what is answered; null says nothing. */
  note: "required" | "optional" | "may be absent" | null;
  description?: string | undefined;
}

/** Whether these fields are sent or answered: what needs saying about a missing one differs. */
type Direction = "request" | "response";

/** The fields of an object, those of nested objects folded inside. */
export function fieldList(
  document: OpenApiDocument,
  fields: Field[],
  direction: Direction,
  within: readonly string[] = [],
): Html {
  return html`<ul class="fields">${fields.map((field) => fieldItem(document, field, direction, within))}</ul>`;
}

export function fieldsOf(shape: Shape, direction: Direction): Field[] {
  return shape.fields.map(([name, { schema, isRequired }]) => ({ name, schema, note: noteOf(isRequired, direction) }));
}

function noteOf(isRequired: boolean, direction: Direction): Field["note"] {
  if (direction === "request") return isRequired ? "required" : "optional";
  return isRequired ? null : "may be absent";
}

function fieldItem(document: OpenApiDocument, field: Field, direction: Direction, within: readonly string[]): Html {
  const shape = shapeOf(document, field.schema);
  const description = field.description ?? shape.description;
  return html`<li>
<p class="field-head"><code class="field-name">${field.name}</code> <span class="field-type">${typeLink(shape)}</span>${
    field.note !== null && html` <span class="note ${field.note === "required" && "strong"}">${field.note}</span>`
  }</p>
${description !== null && html`<p class="field-text">${richText(description)}</p>`}
${shape.constraints.map(constraint)}
${nested(document, shape, direction, within)}
</li>`;
}

function typeLink({ type, name }: Shape): Html {
  if (name === null) return html`${type}`;
  const [before = "", after = ""] = type.split(name, 2);
  return html`${before}<a href="#object-${name}">${name}</a>${after}`;
}

function constraint({ label, values }: Constraint): Html {
  return html`<p class="constraint"><span>${label}</span> ${values.map((value, index) => html`${index > 0 && " "}<code>${value}</code>`)}</p>`;
}

/** A component inside itself is left to its link. */
function nested(document: OpenApiDocument, shape: Shape, direction: Direction, within: readonly string[]): Html | null {
  if (shape.fields.length === 0 || (shape.name !== null && within.includes(shape.name))) return null;
  const inner = shape.name === null ? within : [...within, shape.name];
  const list = fieldList(document, fieldsOf(shape, direction), direction, inner);
  return html`<details class="nested"><summary>${shape.fields.length} ${shape.fields.length === 1 ? "field" : "fields"}</summary>${list}</details>`;
}

/** A body, field by field; a body that is a listed component is only pointed at. */
export function objectFields(document: OpenApiDocument, schema: Schema, direction: Direction): Html {
  const name = referenceName(schema);
  if (name !== null) return html`<p><a href="#object-${name}">${name}</a></p>`;
  const shape = shapeOf(document, schema);
  if (shape.fields.length === 0)
    return html`<p class="empty">${schema.properties === undefined ? shape.type : "An empty object."}</p>`;
  return fieldList(document, fieldsOf(shape, direction), direction);
}

/** The little Markdown that descriptions use: `code`. */
export function richText(text: string): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
