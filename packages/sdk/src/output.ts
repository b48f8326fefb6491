import type { CompletedExecution } from "./api.ts";
import { OutputInvalid } from "./errors.ts";

/** The part of Standard Schema and Standard JSON Schema that is used (zod 4.2, arktype 2.1.28, valibot with its converter). */
export interface StandardOutput<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema: { readonly input: (options: { target: "draft-2020-12" }) => Record<string, unknown> };
    readonly validate?: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** What `output` may be: a schema with the interface above, or JSON Schema 2020-12. TypeBox types are JSON Schemas. */
export type OutputSchema = StandardOutput | object;

/** The type of `result.extracted`, by the schema that was passed as `output`. */
export type Extracted<Schema> = Schema extends { readonly "~standard": { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : FromJsonSchema<Schema>;

/** For literal schemas (inline they need no `as const`) and TypeBox, both 1.x and 0.34. What is not understood is `unknown`. */
type FromJsonSchema<Schema> = Schema extends { readonly "~unsafe": infer Type } | { readonly static: infer Type }
  ? Type
  : Schema extends { readonly const: infer Value }
    ? Value
    : Schema extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : Schema extends { readonly anyOf: readonly (infer Alternative)[] }
        ? Alternative extends unknown
          ? FromJsonSchema<Alternative>
          : never
        : Schema extends { readonly type: infer Type }
          ? FromType<Type, Schema>
          : unknown;

/** A list of types is an array; it distributes over the alternatives. */
type FromType<Type, Schema> = Type extends readonly (infer One)[]
  ? FromType<One, Schema>
  : Type extends "string"
    ? string
    : Type extends "number" | "integer"
      ? number
      : Type extends "boolean"
        ? boolean
        : Type extends "null"
          ? null
          : Type extends "array"
            ? Schema extends { readonly items: infer Items }
              ? FromJsonSchema<Items>[]
              : unknown[]
            : Type extends "object"
              ? FromObject<Schema>
              : unknown;

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Name in RequiredNames<Schema> & keyof Properties]: FromJsonSchema<Properties[Name]> } & {
        -readonly [Name in Exclude<keyof Properties, RequiredNames<Schema>>]?: FromJsonSchema<Properties[Name]>;
      }
    >
  : Record<string, unknown>;

type RequiredNames<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** The JSON Schema to send. What is extracted is the input of the schema's validation. */
export function toJsonSchema(output: OutputSchema): Record<string, unknown> {
  if (!("~standard" in output)) return { ...output };
  const { jsonSchema, vendor } = (output as StandardOutput)["~standard"];
  if (typeof jsonSchema?.input !== "function") {
    throw new TypeError(
      `This ${vendor} schema cannot be converted to JSON Schema. zod can from 4.2 on, valibot with toStandardJsonSchema of @valibot/to-json-schema. Or pass a JSON Schema.`,
    );
  }
  try {
    const { $schema: _, ...schema } = jsonSchema.input({ target: "draft-2020-12" });
    return schema;
  } catch (cause) {
    throw new TypeError(
      `This ${vendor} schema cannot be converted to JSON Schema: ${(cause as Error).message} Data comes as JSON, so dates for example are strings: z.iso.date().`,
      { cause },
    );
  }
}

/** The execution with what the schema makes of the extracted data: defaults and transformations are applied. */
export async function validateOutput(execution: CompletedExecution, output: OutputSchema): Promise<CompletedExecution> {
  const validate = "~standard" in output ? (output as StandardOutput)["~standard"].validate : undefined;
  if (validate === undefined) return execution;
  const result = await validate(execution.result.extracted);
  if (result.issues === undefined) return { ...execution, result: { ...execution.result, extracted: result.value } };
  throw new OutputInvalid(
    execution,
    result.issues.map(({ message, path = [] }) => ({ message, path: path.map((part) => `/${nameOf(part)}`).join("") })),
  );
}

/** A part of a path is a key, or an object with one. */
function nameOf(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}
