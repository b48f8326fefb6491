import type { ErrorDetail } from "../lib/errors.ts";
import { canonicalJson, sha256 } from "../lib/hash.ts";
import { isStorableText } from "../lib/storable.ts";
import type { RecipeBody, RecipeUse } from "./recipe.ts";
import type { RecipeMatchStore } from "./recipe-store.ts";
import {
  fillTemplate,
  fitsVariable,
  listPromptKeys,
  listTemplateKeys,
  MAX_VALUE_LENGTH,
  matchTemplate,
  parseTemplate,
  tokenize,
  type Values,
  type Variable,
} from "./template.ts";

/** What a create request says, and what a recipe is matched with. */
export interface ErrandRequest {
  readonly prompt: string;
  /** Null: the application's home page. */
  readonly startUrl: string | null;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
}

/** The recipe of an execution, with the values for its slots. */
export type ChosenRecipe = Pick<RecipeUse, "id" | "version" | "values">;

/** More recipes under the keys of one prompt are not compared: the request must not take long. */
const MAX_CANDIDATES = 200;

/** The recipe that a prompt means; null when there is none, or more than one. A connection's own comes before a promoted one. */
export async function matchRecipe(
  store: RecipeMatchStore,
  connectionId: string,
  { prompt, startUrl, outputSchema }: ErrandRequest,
): Promise<ChosenRecipe | null> {
  const surroundings = await store.findSurroundings(connectionId);
  if (surroundings === null || !surroundings.isOn || !surroundings.hasRecipes) return null;
  const { applicationId, homeUrl } = surroundings;
  const scope = toScope(applicationId, { startUrl: startUrl ?? homeUrl, outputSchema });
  const keys = listPromptKeys(scope, prompt);
  if (keys.length === 0) return null;
  const limit = MAX_CANDIDATES + 1;
  const candidates = await store.listCandidates({ connectionId, applicationId, keys, limit });
  if (candidates.length === limit) return null;
  const matches = candidates.flatMap(({ id, version, isPromoted, template, variables }) => {
    const values = matchTemplate(template, variables, prompt);
    return values === null ? [] : [{ id, version, isPromoted, values }];
  });
  const own = matches.filter(({ isPromoted }) => !isPromoted);
  const [only, another] = own.length > 0 ? own : matches;
  return only === undefined || another !== undefined
    ? null
    : { id: only.id, version: only.version, values: only.values };
}

/** What a recipe is filed under. */
export interface RecipeFiling {
  /** One for each kind of errand: two recipes of one connection never have the same. */
  readonly identity: Buffer;
  /** It is filed under the one with the fewest recipes. Empty: it is only found by its id. */
  readonly keys: readonly string[];
}

/** Where a recipe is filed. Recipes of other applications, start URLs and output schemas have other keys. */
export function fileRecipe(applicationId: string, body: RecipeBody): RecipeFiling {
  const { template, variables, start_url: startUrl, output_schema: outputSchema } = body;
  const scope = toScope(applicationId, { startUrl, outputSchema });
  // The names of variables make no difference: prompts do not have them.
  const parts = parseTemplate(template, variables).map((part) => ("slot" in part ? "<>" : part.words.join(" ")));
  return { identity: sha256(`${scope}\n${parts.join("\n")}`), keys: listTemplateKeys(scope, template, variables) };
}

function toScope(applicationId: string, { startUrl, outputSchema }: Omit<ErrandRequest, "prompt">): string {
  const schema = outputSchema === null ? "" : sha256(canonicalJson(outputSchema)).toString("hex");
  return [applicationId, toComparableUrl(startUrl), schema].join("\n");
}

/** "https://shop.example" and "https://shop.example/" are the same page. */
function toComparableUrl(url: string | null): string {
  return url === null ? "" : (URL.parse(url)?.href ?? url);
}

/** A request that names its recipe. */
export interface NamedRecipeRequest extends ErrandRequest {
  readonly recipeId: string;
  /** Null: they are taken from the prompt. */
  readonly variables: Values | null;
}

export type NamedRecipe =
  | { readonly kind: "chosen"; readonly recipe: ChosenRecipe; readonly body: RecipeBody }
  | { readonly kind: "refused"; readonly details: ErrorDetail[] };

/** The recipe that a request names, or all that is wrong with the request. */
export async function findNamedRecipe(
  store: RecipeMatchStore,
  connectionId: string,
  request: NamedRecipeRequest,
): Promise<NamedRecipe> {
  const found = await store.findUsable(connectionId, request.recipeId);
  if (found === null) return refuse("recipe", "is not the id of a recipe that this connection may use");
  if (!found.isOn) return refuse("recipe", "cannot be used: recipes are turned off in the application's settings");
  if (found.state === "set_aside")
    return refuse("recipe", "is set aside, because it failed several times in a row. Check it, then enable it again");
  if (found.state !== "active") return refuse("recipe", "is disabled. Enable it to use it again");
  const { id, version, body } = found;
  const details = [...findScopeProblems(body, request)];
  const values = request.variables ?? matchTemplate(body.template, body.variables, request.prompt);
  if (values === null) details.push({ path: "prompt", message: `must be like ${quote(body.template)}` });
  else if (request.variables !== null) details.push(...findValueProblems(body, request.variables, request.prompt));
  return details.length > 0 || values === null
    ? { kind: "refused", details }
    : { kind: "chosen", recipe: { id, version, values }, body };
}

function refuse(path: string, message: string): NamedRecipe {
  return { kind: "refused", details: [{ path, message }] };
}

/** What is left out is as in the recipe. */
function findScopeProblems(body: RecipeBody, { startUrl, outputSchema }: ErrandRequest): ErrorDetail[] {
  const isElsewhere = startUrl !== null && toComparableUrl(startUrl) !== toComparableUrl(body.start_url);
  const isOther = outputSchema !== null && canonicalJson(outputSchema) !== canonicalJson(body.output_schema);
  return [
    ...(isElsewhere
      ? [{ path: "start_url", message: `must be left out or be the recipe's: ${body.start_url ?? "none"}` }]
      : []),
    ...(isOther ? [{ path: "output_schema", message: "must be left out or be the recipe's" }] : []),
  ];
}

function findValueProblems({ template, variables }: RecipeBody, values: Values, prompt: string): ErrorDetail[] {
  const names = Object.keys(variables);
  const details = [
    ...names.map((name) => ({
      path: `variables.${name}`,
      message: Object.hasOwn(values, name)
        ? findValueProblem(values[name] ?? "", variables[name] ?? { kind: "text" })
        : `is missing: the recipe is ${quote(template)}`,
    })),
    ...Object.keys(values)
      .filter((name) => !Object.hasOwn(variables, name))
      .map((name) => ({
        path: `variables.${name}`,
        message: `is not a variable of the recipe, which has ${names.length === 0 ? "none" : names.join(", ")}`,
      })),
  ].filter((detail): detail is ErrorDetail => detail.message !== null);
  if (details.length > 0) return details;
  const isSaid = [template, fillTemplate(template, values)].some((text) => areSameWords(text, prompt));
  return isSaid ? [] : [{ path: "prompt", message: `must be ${quote(template)}, with or without the values in it` }];
}

const KIND_MESSAGES: Record<Variable["kind"], string> = {
  text: "must be a text",
  choice: "must be a text",
  number: "must be a number, such as 2 or 1.5",
  date: "must be a date, such as 2026-05-04",
  email: "must be an email address",
};

/** A given value is the whole value, so that any text is one, however long it is and whatever it looks like. */
function findValueProblem(value: string, { kind }: Variable): string | null {
  if (!isStorableText(value)) return "must not contain NUL characters or lone surrogates";
  if (value.trim() === "") return "must not be blank";
  if (value.length > MAX_VALUE_LENGTH) return `must have at most ${MAX_VALUE_LENGTH} characters`;
  return kind === "text" || fitsVariable(value, { kind }) ? null : KIND_MESSAGES[kind];
}

function areSameWords(one: string, other: string): boolean {
  const words = (text: string) => tokenize(text).map((token) => token.text);
  return canonicalJson(words(one)) === canonicalJson(words(other));
}

const QUOTE_MAX_LENGTH = 300;

function quote(template: string): string {
  return `"${template.length > QUOTE_MAX_LENGTH ? `${template.slice(0, QUOTE_MAX_LENGTH)}…` : template}"`;
}
