import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { CallerError } from "../../lib/errors.ts";
import type { App } from "../dependencies.ts";

const ajv = new Ajv2020({ allErrors: true, useDefaults: true, strict: false, logger: false });
addFormats.default(ajv);

/** No type coercion, with one exception: integers in a query, which is always text. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validate = ajv.compile(schema);
  const integers = httpPart === "querystring" ? findIntegers(schema) : [];
  return (value: unknown) => {
    for (const name of integers) readInteger(value, name);
    return validate(value)
      ? { value }
      : { error: Object.assign(new Error("invalid"), { validation: validate.errors ?? [] }) };
  };
};

function findIntegers(schema: TSchema): string[] {
  const properties = "properties" in schema ? (schema.properties as Record<string, { type?: string }>) : {};
  return Object.keys(properties).filter((name) => properties[name]?.type === "integer");
}

function readInteger(query: unknown, name: string): void {
  const record = query as Record<string, unknown>;
  const text = record[name];
  if (typeof text === "string" && /^-?(0|[1-9]\d{0,14})$/.test(text)) record[name] = Number(text);
}

/** Small, because forms are read into memory before authentication. */
const FORM_MAX_BYTES = 64 * 1024;

/** Routes of this scope accept JSON in strict UTF-8 and nothing else. The route decides whether a body is required. */
export function acceptJson(scope: App): void {
  const parseJson = scope.getDefaultJsonParser("error", "error");
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const text = decode(body as Buffer);
    if (text === null) return done(notUtf8());
    if (text === "") return done(null, undefined);
    return parseJson(request, text, (error, value) => done(error === null ? null : notJson(text, error), value));
  });
}

/** Routes of this scope accept forms and nothing else. Repeated fields become arrays, so that routes can reject them. */
export function acceptForms(scope: App): void {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: "buffer", bodyLimit: FORM_MAX_BYTES } as const;
  scope.addContentTypeParser("application/x-www-form-urlencoded", options, (_request, body: Buffer, done) => {
    const text = decode(body);
    if (text === null) return done(notUtf8());
    return done(null, parseForm(text));
  });
}

function decode(body: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}

function parseForm(text: string): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = Object.create(null);
  const parameters = new URLSearchParams(text);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    form[name] = values.length > 1 ? values : (values[0] ?? "");
  }
  return form;
}

function notUtf8(): CallerError {
  return new CallerError("INVALID_REQUEST", "The body is not valid UTF-8.");
}

/** The parser also rejects keys that would pollute the prototype. */
function notJson(text: string, cause: Error): CallerError {
  const message = isJson(text)
    ? "The body must not contain the key __proto__ or constructor."
    : "The body is not valid JSON.";
  return new CallerError("INVALID_REQUEST", message, { cause });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
