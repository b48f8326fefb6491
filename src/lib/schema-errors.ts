import type { ErrorObject } from "ajv";
import type { ErrorDetail } from "./errors.ts";

const MAX_DETAILS = 20;
const MAX_NAME_LENGTH = 100;

/** What is wrong with a value, by Ajv's errors: each field once, with all that it may be. `whole` names the value itself. */
export function toErrorDetails(errors: readonly ErrorObject[], whole: string): ErrorDetail[] {
  const details = withoutTypes(withoutBranches(errors))
    // The error inside `propertyNames` says what is wrong with the name.
    .filter(({ keyword }) => keyword !== "propertyNames")
    .map((error) => toDetail(error, whole));
  return [...new Map(details.map((detail) => [`${detail.path} ${detail.message}`, detail])).values()].slice(
    0,
    MAX_DETAILS,
  );
}

/** Ajv reports every branch of a union. Only the branch that was meant counts; if none was, all that is possible. */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let remaining = [...errors];
  // Inner unions come first.
  for (const union of errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf")) {
    const isWithin = ({ schemaPath, instancePath }: ErrorObject) =>
      schemaPath.startsWith(`${union.schemaPath}/`) && `${instancePath}/`.startsWith(`${union.instancePath}/`);
    const branches = [...Map.groupBy(remaining.filter(isWithin), (error) => branchOf(error, union)).values()];
    const [meant] = branches
      .filter((branch) => !branch.some((error) => expectedBy(error) !== null && isAt(error, union)))
      .sort((one, other) => one.length - other.length);
    const expected = branches.flatMap((branch) => withoutTypes(branch)).flatMap((error) => expectedBy(error) ?? []);
    const summary =
      meant ?? (expected.length === 0 ? [union] : [{ ...union, keyword: "enum", params: { allowedValues: expected } }]);
    remaining = remaining.flatMap((error) => (error === union ? summary : isWithin(error) ? [] : [error]));
  }
  return remaining;
}

function branchOf({ schemaPath }: ErrorObject, union: ErrorObject): string | undefined {
  return schemaPath.slice(union.schemaPath.length + 1).split("/", 1)[0];
}

function isAt(error: ErrorObject, { instancePath }: ErrorObject): boolean {
  return error.instancePath === instancePath;
}

/** A value that is none of those in a list need not have their type as well. */
function withoutTypes(errors: ErrorObject[]): ErrorObject[] {
  const listed = errors.filter(({ keyword }) => keyword === "enum" || keyword === "const");
  return errors.filter((error) => error.keyword !== "type" || !listed.some((other) => isAt(error, other)));
}

/** Null for an error that is not about which values are possible. */
function expectedBy({ keyword, params }: ErrorObject): string[] | null {
  if (keyword === "type") return [params["type"]].flat().map(String);
  if (keyword === "const") return [String(params["allowedValue"])];
  if (keyword === "enum") return (params["allowedValues"] as unknown[]).map(String);
  return null;
}

function toDetail(error: ErrorObject, whole: string): ErrorDetail {
  const { keyword, instancePath, params, propertyName } = error;
  const parent = instancePath.slice(1).replaceAll("/", ".");
  const within = (name: unknown) =>
    [parent, String(name).slice(0, MAX_NAME_LENGTH)].filter((part) => part !== "").join(".");
  if (keyword === "additionalProperties") {
    return { path: within(params["additionalProperty"]), message: "is not a known field" };
  }
  if (keyword === "required") return { path: within(params["missingProperty"]), message: "is required" };
  const expected = expectedBy(error);
  const problem =
    expected === null
      ? (error.message ?? "is not valid").replace("must NOT", "must not")
      : `must be ${new Intl.ListFormat("en-GB", { type: "disjunction" }).format(new Set(expected))}`;
  if (propertyName !== undefined) return { path: within(propertyName), message: `has a name that ${problem}` };
  return { path: parent === "" ? whole : parent, message: problem };
}
