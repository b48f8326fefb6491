import type {
  ConsoleRecipe,
  ExecutionRecipe,
  ImportRecipeBody,
  NewVersionBody,
  RecipeChanges,
  RecipeCheck,
  RecipeContent,
  RecipeDay,
  RecipeDraft,
  RecipeItem,
  RecipeList,
  RecipeQuery,
  RecipeSavings,
  RecipeStatistics,
  RecipesOff,
  RecipeVersion,
} from "../contract/console/recipes.ts";
import { invalidRequest } from "../executions/create-request.ts";
import type { ExecutionRecord } from "../executions/execution.ts";
import { CallerError } from "../lib/errors.ts";
import { isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { RecipeBody } from "../recipes/recipe.ts";
import { type FindStepsProblem, InvalidRecipe, parseRecipeFile, writeRecipeFile } from "../recipes/recipe-file.ts";
import type { RecipeEditStore } from "../recipes/recipe-store.ts";
import { matchTemplate, type Variables } from "../recipes/template.ts";
import type {
  ConsoleRecipeStore,
  DaySums,
  ListedRecipe,
  RecipeFilter,
  RecipeScope,
  RecipeSums,
  RunCounts,
  SavableExecution,
  StoredVersion,
} from "./recipe-store.ts";

/** Managing recipes. One of another owner is reported as not found. */
export interface ConsoleRecipes {
  list(scope: RecipeScope, query: RecipeQuery): Promise<RecipeList>;
  sum(scope: RecipeScope, applicationId: string | undefined): Promise<RecipeSavings>;
  get(scope: RecipeScope, id: string): Promise<ConsoleRecipe>;
  /** Saves nothing. */
  check(yaml: string): RecipeCheck;
  /** If there is one for the same errands, that gets the next version. */
  import(scope: RecipeScope, body: ImportRecipeBody): Promise<ConsoleRecipe>;
  change(scope: RecipeScope, id: string, changes: RecipeChanges): Promise<ConsoleRecipe>;
  addVersion(scope: RecipeScope, id: string, body: NewVersionBody): Promise<ConsoleRecipe>;
  promote(scope: RecipeScope, id: string): Promise<ConsoleRecipe>;
  delete(scope: RecipeScope, id: string): Promise<void>;
  /** The recipe that an execution ran with, or that was learned from it. */
  findOfExecution(execution: ExecutionRecord): Promise<ExecutionRecipe | null>;
  /** What `saveFrom` would save. */
  findDraft(executionId: string): Promise<RecipeDraft | null>;
  /** Saves what a verified execution did. Returns the recipe that it has, if it has one already. */
  saveFrom(scope: RecipeScope, executionId: string): Promise<ConsoleRecipe>;
}

interface ConsoleRecipesDependencies {
  /** Whether this installation uses recipes. */
  isOn: boolean;
  store: ConsoleRecipeStore;
  edits: RecipeEditStore;
  /** Steps in words, with their slots. */
  describeSteps(steps: readonly object[]): string[];
  findStepsProblem: FindStepsProblem;
  findOutputSchemaProblem(schema: object, requester: string): Promise<string | null>;
}

const DEFAULT_LIMIT = 50;
const CHART_DAYS = 90;
const LAST_EXECUTIONS = 20;

export function createConsoleRecipes(dependencies: ConsoleRecipesDependencies): ConsoleRecipes {
  const { isOn, store, edits, describeSteps, findStepsProblem, findOutputSchemaProblem } = dependencies;

  async function getListed(scope: RecipeScope, id: string): Promise<ListedRecipe> {
    const uuid = parseUuid(id);
    const recipe = uuid === null ? null : await store.find(scope, uuid);
    if (recipe === null) throw new CallerError("NOT_FOUND", "There is no recipe with this id.");
    return recipe;
  }

  async function get(scope: RecipeScope, id: string): Promise<ConsoleRecipe> {
    const recipe = await getListed(scope, id);
    const [versions, executions, days] = await Promise.all([
      store.listVersions(recipe.id),
      store.listExecutions(recipe.id, LAST_EXECUTIONS),
      store.listDays(recipe.id, CHART_DAYS),
    ]);
    const { learnedTokens: tokens, learnedMs } = recipe;
    return {
      ...toItem(recipe),
      ...toContent(recipe.body, describeSteps),
      learned_from: tokens === null || learnedMs === null ? null : { tokens, seconds: learnedMs / 1_000 },
      versions: versions.map((version) => toVersion(version, describeSteps)),
      executions,
      days: days.map(toDay),
    };
  }

  function toItem(recipe: ListedRecipe): RecipeItem {
    const { id, state, version, origin, application, connection, body, createdAt, updatedAt } = recipe;
    return {
      ...{ id, state, version, origin, application, connection },
      turned_off: findWhereOff(recipe),
      template: body.template,
      start_url: body.start_url,
      statistics: toStatistics(recipe.sums),
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  }

  function findWhereOff(application: { isOn: boolean }): RecipesOff {
    if (!isOn) return "installation";
    return application.isOn ? null : "application";
  }

  async function read(yaml: string, requester: string): Promise<RecipeBody> {
    const body = parse(yaml);
    const problem = body.output_schema && (await findOutputSchemaProblem(body.output_schema, requester));
    if (problem !== null) throw invalidRequest([{ path: "yaml", message: `is not valid: "output_schema" ${problem}` }]);
    return body;
  }

  function parse(yaml: string): RecipeBody {
    if (!isStorableText(yaml)) throw invalidRequest([{ path: "yaml", message: "must not contain NUL characters" }]);
    try {
      return parseRecipeFile(yaml, findStepsProblem);
    } catch (error) {
      if (!(error instanceof InvalidRecipe)) throw error;
      const place = error.line === null ? "" : ` in line ${error.line}`;
      const message = `is not valid${place}: ${error.message.replace(/\.$/, "")}`;
      throw new CallerError("INVALID_REQUEST", `The recipe ${message}.`, { details: [{ path: "yaml", message }] });
    }
  }

  return {
    get,

    async list(scope, query) {
      const limit = query.limit ?? DEFAULT_LIMIT;
      const before = query.after === undefined ? null : (await getCursor(scope, query.after)).id;
      // One more than requested shows whether there are more.
      const found = await store.list(scope, readFilter(query), { before, limit: limit + 1 });
      return { recipes: found.slice(0, limit).map(toItem), has_more: found.length > limit, is_on: isOn };
    },

    async sum(scope, applicationId) {
      const { total, days } = await store.sum(scope, readId("application_id", applicationId), CHART_DAYS);
      return { total: toStatistics(total), days: days.map(toDay) };
    },

    check(yaml) {
      try {
        return { content: toContent(parseRecipeFile(yaml, findStepsProblem), describeSteps), problem: null };
      } catch (error) {
        if (!(error instanceof InvalidRecipe)) throw error;
        return { content: null, problem: { message: error.message, line: error.line } };
      }
    },

    async import(scope, { application_id, connection_id = null, yaml }) {
      const place = await getPlace(scope, application_id, connection_id);
      const body = await read(yaml, place.applicationId);
      return get(scope, await edits.save(place, body));
    },

    async change(scope, id, { state }) {
      const { id: recipeId } = await getListed(scope, id);
      await edits.setState(recipeId, state);
      return get(scope, recipeId);
    },

    async addVersion(scope, id, { yaml, version }) {
      const recipe = await getListed(scope, id);
      const body = await read(yaml, recipe.application.id);
      const result = await edits.addVersion(recipe.id, version, body);
      if (result === "another has it") throw duplicate();
      if (result === "not newest")
        throw new CallerError("RECIPE_CHANGED", "The recipe has a newer version. Load it and make your changes again.");
      return get(scope, recipe.id);
    },

    async promote(scope, id) {
      return get(scope, await edits.promote((await getListed(scope, id)).id));
    },

    async delete(scope, id) {
      await edits.delete((await getListed(scope, id)).id);
    },

    async findOfExecution({ id, prompt, recipe: used }) {
      const found = used === null ? await store.findLearnedFrom(id) : await store.findVersion(used.id, used.version);
      if (found === null) return null;
      const { body, state, recipeId, version } = found;
      const values = used?.values ?? matchTemplate(body.template, body.variables, prompt) ?? {};
      return {
        ...{ id: recipeId, version, state, turned_off: findWhereOff(found), template: body.template, values },
        outcome: used === null ? "learned" : used.outcome,
        variables: toVariables(body.variables),
      };
    },

    async findDraft(executionId) {
      const draft = await store.findDraft(executionId);
      return draft && { next_version_of: draft.sameErrands };
    },

    async saveFrom(scope, executionId) {
      const uuid = parseUuid(executionId);
      const execution = uuid === null ? null : await store.findExecution(scope, uuid);
      if (execution === null) throw new CallerError("EXECUTION_NOT_FOUND", "There is no execution with this id.");
      const recipeId = execution.isVerified ? await edits.saveDraft(execution.id) : null;
      if (recipeId === null) throw cannotSave(execution);
      return get(scope, recipeId);
    },
  };

  async function getCursor(scope: RecipeScope, after: string): Promise<{ id: string }> {
    const uuid = parseUuid(after);
    const cursor = uuid === null ? null : await store.find(scope, uuid);
    if (cursor === null) {
      throw new CallerError("INVALID_CURSOR", "after must be the id of a recipe: the last one of the previous page.");
    }
    return cursor;
  }

  async function getPlace(scope: RecipeScope, application: string, connection: string | null) {
    const applicationId = readId("application_id", application) ?? "";
    const connectionId = readId("connection_id", connection ?? undefined);
    if (!(await store.hasPlace(scope, applicationId, connectionId))) {
      throw new CallerError("NOT_FOUND", "There is no application, or no connection of it, with this id.");
    }
    return { applicationId, connectionId };
  }
}

function duplicate(): CallerError {
  return new CallerError(
    "RECIPE_EXISTS",
    "There is a recipe with this template, start URL and output schema already. Change that one, or delete it first.",
  );
}

function cannotSave({ isVerified, whyNotLearned }: SavableExecution): CallerError {
  const reason = isVerified
    ? (whyNotLearned ?? "Nothing was kept of its run, or its recipe was deleted.")
    : "It was not verified.";
  return new CallerError("RECIPE_NOT_POSSIBLE", `The execution cannot be saved as a recipe. ${reason}`);
}

function readFilter({ application_id, connection_id, state, text = "" }: RecipeQuery): RecipeFilter {
  if (!isStorableText(text)) throw invalidRequest([{ path: "text", message: "must not contain NUL characters" }]);
  return {
    applicationId: readId("application_id", application_id),
    connectionId: readId("connection_id", connection_id),
    state: state ?? null,
    text: text === "" ? null : text,
  };
}

function readId(path: string, text: string | undefined): string | null {
  const uuid = text === undefined ? null : parseUuid(text);
  if (text !== undefined && uuid === null) throw invalidRequest([{ path, message: "must be an id" }]);
  return uuid;
}

function toStatistics({ lastRunAt, ...sums }: RecipeSums): RecipeStatistics {
  return { ...toCounts(sums), last_run_at: lastRunAt?.toISOString() ?? null };
}

function toDay({ day, ...sums }: DaySums): RecipeDay {
  return { day, ...toCounts(sums) };
}

function toCounts({ replayed, healed, failed, tokensSaved, msSaved }: RunCounts) {
  return {
    ...{ runs: replayed + healed + failed, replayed, healed, failed },
    tokens_saved: tokensSaved,
    seconds_saved: Math.round(msSaved / 1_000),
  };
}

function toVariables(variables: Variables): RecipeContent["variables"] {
  return Object.entries(variables).map(([name, { kind, max_words }]) => ({ name, kind, max_words: max_words ?? null }));
}

function toContent(body: RecipeBody, describeSteps: (steps: readonly object[]) => string[]): RecipeContent {
  return {
    template: body.template,
    start_url: body.start_url,
    variables: toVariables(body.variables),
    steps: describeSteps(body.steps),
    writes: [...body.writes],
    output_schema: body.output_schema && { ...body.output_schema },
    yaml: writeRecipeFile(body),
  };
}

function toVersion(
  { version, origin, executionId, createdAt, body }: StoredVersion,
  describeSteps: (steps: readonly object[]) => string[],
): RecipeVersion {
  const about = { version, origin, execution_id: executionId, created_at: createdAt.toISOString() };
  return { ...about, ...toContent(body, describeSteps) };
}
