/**
 * Generates the types of the TypeScript SDK from docs/openapi.json: `node scripts/generate-sdk-types.ts [--check]`.
 * One type for each named schema, and `Operations` with the input and output of each operation.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeOrCheck } from "./check-generated.ts";
import {
  type Content,
  METHODS,
  type OpenApi,
  type Operation,
  type Parameter,
  type Schema,
} from "./openapi-document.ts";

export function generateTypes(api: OpenApi): string {
  const schemas = Object.entries(api.components?.schemas ?? {});
  const blocks = [
    "// Generated from docs/openapi.json by scripts/generate-sdk-types.ts. Do not edit.",
    ...schemas.map(([name, schema]) => `${comment(schema.description, "")}export type ${name} = ${write(schema, "")};`),
    `/** The operations of the API, by id. */\nexport interface Operations {${listOperations(api)}\n}`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

function listOperations(api: OpenApi): string {
  return Object.values(api.paths ?? {})
    .flatMap((item) => Object.entries(item).filter(([method]) => METHODS.has(method)))
    .map(([, operation]) => operation)
    .filter(({ operationId }) => operationId !== undefined)
    .map(
      (operation) =>
        `${comment(operation.summary, "  ")}  ${key(operation.operationId ?? "")}: ${describe(operation, api)};`,
    )
    .map((line) => `\n${line}`)
    .join("");
}

function describe(operation: Operation, api: OpenApi): string {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve(parameter, api));
  const query = parameters.filter((parameter) => parameter.in === "query");
  const body = schemaOf(operation.requestBody);
  const responses = Object.entries(operation.responses ?? {})
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, response]) => schemaOf(resolve(response, api)) ?? []);
  const lines = [
    query.length === 0 ? null : `    query: ${write(toObject(query), "    ")};`,
    body === null ? null : `    body: ${write(body, "    ")};`,
    `    response: ${responses.length === 0 ? "undefined" : union(responses, "    ")};`,
  ];
  return `{\n${lines.filter((line) => line !== null).join("\n")}\n  }`;
}

/** Prefers JSON; events and files are read by the SDK itself. */
function schemaOf(content: Content | undefined): Schema | null {
  const byType = Object.entries(content?.content ?? {});
  const json = byType.find(([type]) => /\bjson\b/.test(type)) ?? byType[0];
  return json?.[1].schema ?? null;
}

function toObject(parameters: Parameter[]): Schema {
  const properties = parameters.map(({ name, schema = {}, description = schema.description }): [string, Schema] => [
    name,
    description === undefined ? schema : { ...schema, description },
  ]);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
}

function resolve<Part extends { $ref?: string }>(part: Part, api: OpenApi): Part {
  if (part.$ref === undefined) return part;
  const [, kind = "", name = ""] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(part.$ref) ?? [];
  const components: Record<string, Record<string, unknown> | undefined> = { ...api.components };
  const found = components[kind]?.[name];
  if (found === undefined) throw new Error(`${part.$ref} is not in the document.`);
  return found as Part;
}

/** The TypeScript type of a schema. */
function write(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const parts = new Set([
    ...[schema.anyOf, schema.oneOf].flatMap((alternatives) => (alternatives ? [union(alternatives, indent)] : [])),
    ...(schema.allOf ?? []).map((part) => write(part, indent)),
    ...(isTyped(schema) ? [writeTyped(schema, indent)] : []),
  ]);
  if (parts.size <= 1) return [...parts][0] ?? "unknown";
  return [...parts].map((part) => (part.includes(" | ") ? `(${part})` : part)).join(" & ");
}

function nameOf(reference: string): string {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1];
  if (name === undefined) throw new Error(`${reference} is not a named schema.`);
  return name;
}

function union(schemas: Schema[], indent: string): string {
  return [...new Set(schemas.map((schema) => write(schema, indent)))].join(" | ");
}

/** `type: object` beside alternatives that have the properties adds nothing. */
function isTyped({ type, properties, additionalProperties, anyOf, oneOf, allOf }: Schema): boolean {
  if (properties !== undefined) return true;
  const isOnlyObject = type === "object" && typeof additionalProperties !== "object";
  return type !== undefined && !(isOnlyObject && (anyOf ?? oneOf ?? allOf) !== undefined);
}

function writeTyped(schema: Schema, indent: string): string {
  return [schema.type ?? "object"]
    .flat()
    .map((type) => writeOne(type, schema, indent))
    .join(" | ");
}

function writeOne(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return writeArray(schema, indent);
    case "object":
      return writeObject(schema, indent);
    default:
      throw new Error(`${type} is not a type of JSON Schema.`);
  }
}

function writeArray({ items, prefixItems }: Schema, indent: string): string {
  if (prefixItems !== undefined) return `[${prefixItems.map((item) => write(item, indent)).join(", ")}]`;
  return `Array<${typeof items === "object" ? write(items, indent) : "unknown"}>`;
}

function writeObject({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? "" : "?";
    return `${comment(schema.description ?? describeAlternatives(schema), inner)}${inner}${key(name)}${optional}: ${write(schema, inner)};`;
  });
  // An open object with named properties: what else it may have is unknown, which every property's type fits.
  if (typeof additionalProperties === "object" && lines.length === 0) {
    return `Record<string, ${write(additionalProperties, indent)}>`;
  }
  if (additionalProperties === true || typeof additionalProperties === "object")
    lines.push(`${inner}[name: string]: unknown;`);
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("\n")}\n${indent}}`;
}

/** Something nullable has its description one level down. */
function describeAlternatives({ anyOf = [] }: Schema): string | undefined {
  return anyOf.find(({ description }) => description !== undefined)?.description;
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return "";
  const [first = "", ...rest] = text.replaceAll("*/", "*\\/").split("\n");
  if (rest.length === 0) return `${indent}/** ${first} */\n`;
  const lines = [first, ...rest].map((line) => `${indent} * ${line}`.trimEnd());
  return `${indent}/**\n${lines.join("\n")}\n${indent} */\n`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  const api = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8")) as OpenApi;
  writeOrCheck(join(root, "packages/sdk/src/api.ts"), generateTypes(api));
}
