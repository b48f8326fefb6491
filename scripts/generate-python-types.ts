/**
 * Generates the types of the Python SDK from docs/openapi.json: `node scripts/generate-python-types.ts [--check]`.
 * A TypedDict for each object, a union for each set of alternatives, named after its schema, or after its operation and place.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeOrCheck } from "./check-generated.ts";
import { type Content, METHODS, type OpenApi, type Operation, type Schema } from "./openapi-document.ts";

const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
/** Marks the name of a type in a type expression. */
const REFERENCE = "@@";
const HEADER = `"""The objects of the API. Generated from docs/openapi.json by scripts/generate-python-types.ts. Do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union
`;

/** The text of the Python module. */
export function generatePythonTypes(api: OpenApi): string {
  const schemas = api.components?.schemas ?? {};
  /** Each definition by its name, in the order of the document. */
  const definitions = new Map<string, string>();
  /** Equal objects in several places are one type. */
  const names = new Map<string, string>();

  function define(name: string, schema: Schema): void {
    if (definitions.has(name)) throw new Error(`Two schemas would be called ${name}.`);
    definitions.set(name, "");
    definitions.set(name, isObject(schema) ? writeObject(name, schema) : writeAlias(name, schema));
  }

  function writeAlias(name: string, schema: Schema): string {
    const comment = schema.description === undefined ? "" : `\n${docstring(schema.description, "")}`;
    return `${name} = ${quoteReferences(writeType(schema, name))}${comment}`;
  }

  function writeObject(name: string, schema: Schema): string {
    const { properties = {}, required = [] } = schema;
    const fields = Object.entries(properties).map(([key, value]) => ({
      key,
      type: writeType(value, name + pascal(key)),
      description: value.description ?? value.anyOf?.find(({ description }) => description)?.description,
      isRequired: required.includes(key),
    }));
    if (fields.some(({ key }) => !isIdentifier(key))) {
      const entries = fields.map(({ key, type }) => `    ${JSON.stringify(key)}: ${quoteReferences(type)},`);
      return `${name} = TypedDict(\n  "${name}",\n  {\n${entries.join("\n")}\n  },\n  total=${required.length === fields.length ? "True" : "False"},\n)`;
    }
    const mandatory = fields.filter(({ isRequired }) => isRequired);
    const optional = fields.filter(({ isRequired }) => !isRequired);
    if (optional.length === 0) return writeClass(name, "TypedDict", mandatory, schema.description);
    if (mandatory.length === 0) return writeClass(name, "TypedDict, total=False", optional, schema.description);
    // Python 3.10 has no NotRequired.
    return [
      writeClass(`_${name}Required`, "TypedDict", mandatory, undefined),
      writeClass(name, `_${name}Required, total=False`, optional, schema.description),
    ].join("\n\n\n");
  }

  /** A type expression. An object that has no name of its own gets this one. */
  function writeType(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return REFERENCE + nameOf(schema.$ref);
    if ("const" in schema) return literal([schema.const]);
    if (schema.enum !== undefined) return literal(schema.enum);
    const merged = schema.allOf === undefined ? schema : mergeAll(schema, schemas);
    const alternatives = merged.anyOf ?? merged.oneOf;
    if (alternatives !== undefined) return union(alternatives.map((one, index) => writeAlternative(one, name, index)));
    if (isObject(merged)) return nameObject(merged, name);
    return union([merged.type ?? []].flat().map((type) => writeSimple(type, merged, name)));
  }

  function writeAlternative(schema: Schema, name: string, index: number): string {
    const tag = Object.values(schema.properties ?? {}).find((property) => typeof property.const === "string")?.const;
    return writeType(schema, tag === undefined ? name + (index === 0 ? "" : index + 1) : pascal(String(tag)) + name);
  }

  function nameObject(schema: Schema, name: string): string {
    const content = JSON.stringify({ ...schema, description: "" });
    const known = names.get(content);
    if (known !== undefined) return REFERENCE + known;
    names.set(content, name);
    define(name, schema);
    return REFERENCE + name;
  }

  function writeSimple(type: string, schema: Schema, name: string): string {
    switch (type) {
      case "string":
        return "str";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      case "number":
        return "float";
      case "integer":
        return "int";
      case "array":
        return `List[${typeof schema.items === "object" ? writeType(schema.items, `${name}Item`) : "Any"}]`;
      case "object": {
        const { additionalProperties } = schema;
        const value =
          typeof additionalProperties === "object" ? writeType(additionalProperties, `${name}Value`) : "Any";
        return `Dict[str, ${value}]`;
      }
      default:
        throw new Error(`${type} is not a type of JSON Schema.`);
    }
  }

  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.properties !== undefined) names.set(JSON.stringify({ ...schema, description: "" }), name);
    define(name, schema.allOf === undefined ? schema : mergeAll(schema, schemas));
  }
  for (const [name, schema] of listBodies(api)) definePart(name, schema);
  const messages = listMessages(api).map(([name, schema]) => writeType(schema, name));
  if (messages.length > 0 && !definitions.has("WebhookMessage")) {
    definitions.set("WebhookMessage", `WebhookMessage = ${quoteReferences(union(messages))}`);
  }

  /** An operation's own object, or a name for one that exists already. */
  function definePart(name: string, schema: Schema): void {
    const type = writeType(schema, name);
    if (type !== REFERENCE + name) definitions.set(name, `${name} = ${quoteReferences(type)}`);
  }

  return `${HEADER}\n${[...order(definitions)].join("\n\n")}\n`;
}

/** Classes first: an alias of a class needs it at run time. Names in quotes can be defined anywhere. */
function* order(definitions: Map<string, string>): Generator<string> {
  const all = [...definitions.values()];
  for (const text of all) if (text.startsWith("class ")) yield `\n${text}`;
  for (const text of all) if (!text.startsWith("class ")) yield text;
}

interface Field {
  key: string;
  type: string;
  description: string | undefined;
}

function writeClass(name: string, base: string, fields: Field[], description: string | undefined): string {
  const lines = fields.map(({ key, type, description: text }) => {
    const comment = text === undefined ? "" : `\n${docstring(text, "    ")}`;
    return `    ${key}: ${type.replaceAll(REFERENCE, "")}${comment}`;
  });
  const head = description === undefined ? [] : [docstring(description, "    "), ""];
  return [`class ${name}(${base}):`, ...head, ...(lines.length === 0 ? ["    pass"] : lines)].join("\n");
}

/** What is defined by an assignment is evaluated: names that come later need quotes, but a whole alias cannot have them. */
function quoteReferences(type: string): string {
  const isWhole = type.startsWith(REFERENCE);
  return type.replaceAll(new RegExp(`${REFERENCE}(\\w+)`, "g"), isWhole ? "$1" : '"$1"');
}

function docstring(text: string, indent: string): string {
  // Lists and tables are for the reference.
  const [first = ""] = text.split("\n");
  const safe = first.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"');
  const words = `"""${safe}${safe.endsWith('"') ? " " : ""}"""`.split(" ");
  const lines = [indent + words.shift()];
  for (const word of words) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length + 1 > 120) lines.push(indent + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

function union(types: string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.length === 0 || distinct.includes("Any")) return "Any";
  return distinct.length === 1 ? (distinct[0] ?? "Any") : `Union[${distinct.join(", ")}]`;
}

function literal(values: unknown[]): string {
  const python = values.map((value) => {
    if (value === null) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    return JSON.stringify(value);
  });
  return `Literal[${python.join(", ")}]`;
}

function isObject({ type, properties, anyOf, oneOf, allOf }: Schema): boolean {
  return properties !== undefined && (type === undefined || type === "object") && !anyOf && !oneOf && !allOf;
}

/** The parts of `allOf` and what stands beside it as one object. */
function mergeAll({ allOf = [], ...beside }: Schema, schemas: Record<string, Schema>): Schema {
  const parts = [...allOf, beside].map((part: Schema): Schema => {
    const found = part.$ref === undefined ? part : (schemas[nameOf(part.$ref)] ?? {});
    return found.allOf === undefined ? found : mergeAll(found, schemas);
  });
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: [...new Set(parts.flatMap(({ required = [] }) => required))],
  };
}

/** What operations take and return, with a name for each. */
function listBodies(api: OpenApi): [string, Schema][] {
  return listOperations(api.paths).flatMap(({ operationId = "", requestBody, responses = {} }) => {
    const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
    const results = successes.flatMap(([, response]) => readSchema(response, api) ?? []);
    const bodies: [string, Schema | null | undefined][] = [
      ["Request", readSchema(requestBody, api)],
      ["Response", results.filter(({ type }) => type !== "null").at(-1)],
    ];
    return bodies.flatMap(([part, schema]): [string, Schema][] =>
      schema ? [[pascal(operationId) + part, schema]] : [],
    );
  });
}

function listMessages(api: OpenApi): [string, Schema][] {
  return Object.entries(api.webhooks ?? {}).flatMap(([type, item]) =>
    listOperations({ [type]: item }).flatMap(({ requestBody }): [string, Schema][] => {
      const schema = readSchema(requestBody, api);
      return schema === null ? [] : [[`${pascal(type)}Message`, schema]];
    }),
  );
}

function listOperations(paths: Record<string, Record<string, Operation>> = {}): Operation[] {
  return Object.values(paths)
    .flatMap((item) => Object.entries(item))
    .filter(([method]) => METHODS.has(method))
    .map(([, operation]) => operation);
}

/** Of JSON, or of a form. Events and files are read by the SDK itself. */
function readSchema(content: Content | undefined, api: OpenApi): Schema | null {
  const found = content?.$ref === undefined ? content : api.components?.responses?.[nameOf(content.$ref)];
  const [, media] = Object.entries(found?.content ?? {}).find(([type]) => /json|urlencoded/.test(type)) ?? [];
  return media?.schema ?? null;
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => (word === word.toUpperCase() ? word.toLowerCase() : word))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

function isIdentifier(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8")) as unknown;
  const folder = join(root, "python/src/errand");
  writeOrCheck(join(folder, "_api.py"), generatePythonTypes(read("docs/openapi.json") as OpenApi));
  const { version } = read("package.json") as { version: string };
  writeOrCheck(join(folder, "_version.py"), `"""Generated from package.json."""\n\nVERSION = "${version}"\n`);
}
