import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";

const ajv = new Ajv2020({ allErrors: true, useDefaults: true, strict: false, logger: false });
addFormats.default(ajv);

/** Nothing is converted, except that a query, which is all text, may write integers as digits. */
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
