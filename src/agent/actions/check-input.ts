import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { Action } from "./action.ts";
import { ActionFailed } from "./action.ts";

type Problem = ReturnType<typeof Value.Errors>[number];

/** Throws invalid_input, naming the field, unless the input is what the action takes. */
export function checkInput(action: Action, input: unknown): void {
  if (Value.Check(action.input, input)) return;
  const problems = Value.Errors(action.input, input);
  const [problem] = problems;
  const said = problem === undefined ? "the input is not what it takes" : describe(problem, action.input);
  throw new ActionFailed("invalid_input", `${action.name}: ${said}.`);
}

function describe(problem: Problem, schema: TSchema): string {
  const field = problem.instancePath.slice(1).replaceAll("/", ".");
  switch (problem.keyword) {
    case "required":
      return `${problem.params.requiredProperties.map((name) => `"${name}"`).join(" and ")} is missing`;
    case "boolean":
    case "additionalProperties":
      return `there is no field "${field || "?"}"; it takes ${fieldNames(schema).join(", ") || "no fields"}`;
    case "enum":
      return `"${field}" must be one of ${problem.params.allowedValues.map(String).join(", ")}`;
    default:
      return field === "" ? `the input ${problem.message}` : `"${field}" ${problem.message}`;
  }
}

function fieldNames(schema: TSchema): string[] {
  return "properties" in schema ? Object.keys(schema.properties as object) : [];
}
