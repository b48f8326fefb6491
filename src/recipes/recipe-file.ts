import { type Document, isCollection, stringify } from "yaml";
import { InvalidYaml, parseYaml, type Yaml } from "../lib/yaml-text.ts";
import type { RecipeBody } from "./recipe.ts";
import {
  fillTemplate,
  IS_SLOT,
  listSlots,
  parseTemplate,
  VARIABLE_KINDS,
  VARIABLE_NAME,
  type Values,
  type Variable,
  type VariableKind,
  type Variables,
} from "./template.ts";

/** A text that is not a recipe. The message is a sentence that names the place. */
export class InvalidRecipe extends Error {
  override readonly name = "InvalidRecipe";
  /** From 1; null when it is not known. */
  readonly line: number | null;

  constructor(message: string, line: number | null) {
    super(message);
    this.line = line;
  }
}

/** What is wrong with a list of steps, as a sentence; null when nothing is. `step` is the index of the first bad one. */
export type FindStepsProblem = (
  steps: readonly unknown[],
) => { readonly message: string; readonly step: number | null } | null;

const KEYS = ["template", "start_url", "variables", "steps", "writes", "output_schema"];
const TEMPLATE_MAX_LENGTH = 20_000;
const WRITE = /^[A-Z]{3,20} \S{1,2000}$/;
const MAX_WORDS = 1_000;

/** The recipe as a file that people can read and change. */
export function writeRecipeFile(body: RecipeBody): string {
  const { template, start_url, variables, steps, writes, output_schema } = body;
  const kinds = Object.entries(variables).map(([name, variable]) => [
    name,
    variable.max_words === undefined ? variable.kind : variable,
  ]);
  const file = {
    template,
    ...(start_url === null ? {} : { start_url }),
    ...(kinds.length === 0 ? {} : { variables: Object.fromEntries(kinds) }),
    steps,
    ...(writes.length === 0 ? {} : { writes }),
    ...(output_schema === null ? {} : { output_schema }),
  };
  return stringify(file, { lineWidth: 120, aliasDuplicateObjects: false });
}

/** Reads YAML or JSON, which is YAML too. Throws InvalidRecipe. */
export function parseRecipeFile(text: string, findStepsProblem: FindStepsProblem): RecipeBody {
  const source = readSource(text);
  const { data } = source;
  const unknown = Object.keys(data).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw source.fail([unknown], `cannot be there: a recipe has ${KEYS.join(", ")}`);
  const template = readTemplate(source);
  const variables = readVariables(source, template);
  const body: RecipeBody = {
    template,
    start_url: readStartUrl(source),
    output_schema: readOutputSchema(source),
    variables,
    steps: readSteps(source),
    writes: readWrites(source),
  };
  const problem = findStepsProblem(fillSamples(body.steps, variables) as unknown[]);
  if (problem !== null)
    throw new InvalidRecipe(
      problem.message,
      source.lineOf(["steps", ...(problem.step === null ? [] : [problem.step])]),
    );
  checkSlots(source, body);
  return body;
}

/** A variable that no step has would change nothing, and a slot without a variable would be used as it is. */
function checkSlots({ fail }: Source, { variables, steps }: RecipeBody): void {
  const used = steps.map((step) => listStrings(step).flatMap(listSlots));
  const unused = Object.keys(variables).find((name) => !used.flat().includes(name));
  if (unused !== undefined)
    throw fail(["variables", unused], `is in no step: write <${unused}> where its value is used`);
  for (const [at, step] of steps.entries()) {
    const slot = listStrings(step).find((text) => IS_SLOT.test(text) && !Object.hasOwn(variables, text.slice(1, -1)));
    if (slot !== undefined) throw fail(["steps", at], `has ${slot}, which is not one of the variables`);
  }
}

function listStrings(part: unknown): string[] {
  if (typeof part === "string") return [part];
  return typeof part === "object" && part !== null ? Object.values(part).flatMap(listStrings) : [];
}

type Path = readonly (string | number)[];

interface Source {
  readonly data: Readonly<Record<string, unknown>>;
  lineOf(path: Path): number | null;
  /** "variables.quantity must be …" */
  fail(path: Path, message: string): InvalidRecipe;
}

function readSource(text: string): Source {
  const { data, document, lineAt } = readYaml(text);
  if (!isRecord(data))
    throw new InvalidRecipe(`A recipe has these keys: ${KEYS.join(", ")}.`, text.trim() === "" ? null : 1);
  const lineOf = (path: Path): number | null => {
    for (let length = path.length; length > 0; length -= 1) {
      const start = findStart(document, path.slice(0, length));
      if (start !== null) return lineAt(start);
    }
    return null;
  };
  return {
    data,
    lineOf,
    fail: (path, message) => new InvalidRecipe(`${describePath(path)} ${message}.`, lineOf(path)),
  };
}

function readYaml(text: string): Yaml {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof InvalidYaml)) throw error;
    throw new InvalidRecipe(`The recipe is not valid YAML or JSON: ${error.message}.`, error.line);
  }
}

/** Of the key in a map, and of the item in a list. */
function findStart(document: Document, path: Path): number | null {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isCollection(parent)) return null;
  const last = path.at(-1);
  for (const [index, item] of parent.items.entries()) {
    const node = typeof item === "object" && item !== null && "key" in item ? item.key : item;
    const isIt = typeof last === "number" ? index === last : String(node) === last;
    if (isIt) return (node as { range?: readonly number[] | null }).range?.[0] ?? null;
  }
  return null;
}

/** Keys come from the file: a long one is cut. */
function describePath(path: Path): string {
  const names = path.map((part) => (typeof part === "number" ? `number ${part + 1}` : part.slice(0, 60)));
  return `"${names.join(".")}"`;
}

function readTemplate({ data: { template }, fail }: Source): string {
  if (typeof template !== "string" || template.trim() === "")
    throw fail(["template"], 'must be the prompt with its variables as slots, such as "Order <quantity> of <product>"');
  if (template.length > TEMPLATE_MAX_LENGTH)
    throw fail(["template"], `must have at most ${TEMPLATE_MAX_LENGTH} characters`);
  return template;
}

function readStartUrl({ data: { start_url: url = null }, fail }: Source): string | null {
  if (url === null) return null;
  const parsed = typeof url === "string" && url.length <= 2_048 ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== "" || parsed.password !== "")
    throw fail(["start_url"], "must be an http or https URL without a user name");
  return url as string;
}

function readVariables({ data: { variables = {} }, fail }: Source, template: string): Variables {
  if (!isRecord(variables)) throw fail(["variables"], "must say the kind of each variable, such as quantity: number");
  const read = Object.entries(variables).map(([name, value]): [string, Variable] => {
    const path = ["variables", name];
    if (!VARIABLE_NAME.test(name))
      throw fail(path, "is no name of a variable: they have up to 40 letters a to z, digits and underscores");
    return [name, readVariable(path, typeof value === "string" ? { kind: value } : value, fail)];
  });
  const known = Object.fromEntries(read);
  const used = parseTemplate(template, known).flatMap((part) => ("slot" in part ? [part.slot] : []));
  const unused = Object.keys(known).find((name) => !used.includes(name));
  if (unused !== undefined) throw fail(["variables", unused], `is not in the template: <${unused}>`);
  return known;
}

function readVariable(path: Path, value: unknown, fail: Source["fail"]): Variable {
  if (!isRecord(value)) throw fail(path, `must be one of ${VARIABLE_KINDS.join(", ")}`);
  const { kind, max_words: maxWords, ...rest } = value;
  const [other] = Object.keys(rest);
  if (other !== undefined) throw fail([...path, other], "cannot be there: a variable has kind and max_words");
  if (!VARIABLE_KINDS.includes(kind as VariableKind)) throw fail(path, `must be one of ${VARIABLE_KINDS.join(", ")}`);
  if (maxWords === undefined) return { kind: kind as VariableKind };
  if (!Number.isInteger(maxWords) || Number(maxWords) < 1 || Number(maxWords) > MAX_WORDS)
    throw fail([...path, "max_words"], `must be a whole number from 1 to ${MAX_WORDS}`);
  return { kind: kind as VariableKind, max_words: Number(maxWords) };
}

function readSteps({ data: { steps }, fail }: Source): object[] {
  if (!Array.isArray(steps))
    throw fail(["steps"], "must be a list of steps, each with one key: goto, click, fill, read …");
  const at = steps.findIndex((step) => !isRecord(step));
  if (at !== -1) throw fail(["steps", at], "is not a step, which has one key: goto, click, fill, read …");
  return steps;
}

function readWrites({ data: { writes = [] }, fail }: Source): string[] {
  if (!Array.isArray(writes)) throw fail(["writes"], 'must be a list of what a run sends, such as "POST /cart/items"');
  const at = writes.findIndex((write) => typeof write !== "string" || !WRITE.test(write));
  if (at !== -1) throw fail(["writes", at], 'must be a method and a path, such as "POST /cart/items"');
  return writes;
}

function readOutputSchema({ data: { output_schema: schema = null }, fail }: Source): RecipeBody["output_schema"] {
  if (schema !== null && !isRecord(schema)) throw fail(["output_schema"], "must be a JSON Schema, which is an object");
  return schema;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SAMPLES: Record<VariableKind, string> = {
  text: "example",
  choice: "example",
  number: "2",
  date: "2026-05-04",
  email: "person@example.com",
};

/** Steps can only be checked with values in their slots. */
function fillSamples(part: unknown, variables: Variables): unknown {
  const samples: Values = Object.fromEntries(
    Object.entries(variables).map(([name, { kind }]) => [name, SAMPLES[kind]] as const),
  );
  const fill = (inner: unknown): unknown => {
    if (typeof inner === "string") return fillTemplate(inner, samples);
    if (Array.isArray(inner)) return inner.map(fill);
    if (!isRecord(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, value]) => [key, fill(value)]));
  };
  return fill(part);
}
