import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Tool } from "../model.ts";
import { mendInput } from "./mend-input.ts";

export type CheckedInput =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

const MAX_PROBLEMS = 5;
const MAX_PROBLEM_LENGTH = 160;

/** Checks inputs against the schemas of tools. Tools are ours: their schemas are neither huge nor hostile. */
export class ToolChecker {
  readonly #ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    verbose: true,
    validateFormats: false,
    validateSchema: false,
    logger: false,
  });
  /** By the schema itself: a tool that is offered again is not compiled again. */
  readonly #compiled = new WeakMap<Tool["input"], ValidateFunction>();

  /** The input itself may be mended on the way. */
  check(tool: Tool, input: unknown): CheckedInput {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return { ok: false, problem: "the input must be an object" };
    }
    const validate = this.#compile(tool.input);
    const fits = validate(input) || (mendInput(input, validate.errors ?? []) && validate(input));
    if (fits) return { ok: true, input: input as Record<string, unknown> };
    return { ok: false, problem: describe(validate.errors ?? []) };
  }

  #compile(schema: Tool["input"]): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const validate = this.#ajv.compile(schema);
    // Its own cache would hold every schema of every run.
    this.#ajv.removeSchema(schema);
    this.#compiled.set(schema, validate);
    return validate;
  }
}

function describe(errors: readonly ErrorObject[]): string {
  return errors.slice(0, MAX_PROBLEMS).map(describeOne).join("; ");
}

function describeOne({ instancePath, message = "is wrong", params, keyword }: ErrorObject): string {
  const detail =
    keyword === "enum"
      ? `: ${JSON.stringify(params["allowedValues"])}`
      : keyword === "additionalProperties"
        ? `: ${JSON.stringify(params["additionalProperty"])} is not one`
        : "";
  return `${instancePath === "" ? "the input" : instancePath} ${message}${detail}`.slice(0, MAX_PROBLEM_LENGTH);
}
