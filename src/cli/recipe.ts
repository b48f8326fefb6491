import { type Command, Option } from "commander";
import type { ConsoleRecipes } from "../console/recipes.ts";
import type {
  ConsoleRecipe,
  RecipeItem,
  RecipeList,
  RecipeState,
  RecipeStatistics,
} from "../contract/console/recipes.ts";
import type { Approval } from "../contract/interaction.ts";
import { CallerError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import { withStorage } from "./database.ts";
import { UsageError } from "./failure.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, listOption, toCommandOptions } from "./options.ts";
import { clean, printResult, toTable } from "./output.ts";

const HELP = `
A verified errand becomes a recipe: its steps, with variables for the values in its prompt. The next errand of its kind
runs without a model. docs/recipes.md explains them.`;

export function addRecipeCommands(program: Command): void {
  const recipe = program
    .command("recipe")
    .description("manage recipes: errands that run without a model")
    .addHelpText("after", HELP);
  addList(recipe);
  addShow(recipe);
  addSave(recipe);
  addRun(recipe);
  addChange(recipe, "enable", "use a recipe again that was disabled or set aside", ({ id }, recipes) =>
    recipes.change("all", id, { state: "active" }),
  );
  addChange(recipe, "disable", "stop using a recipe", ({ id }, recipes) =>
    recipes.change("all", id, { state: "disabled" }),
  );
  addChange(
    recipe,
    "promote",
    "let all connections of the application use a recipe; read it first with errand recipe show",
    ({ id }, recipes) => recipes.promote("all", id),
  );
  addDelete(recipe);
  addExport(recipe);
  addImport(recipe);
}

interface ListOptions extends CommonOptions {
  application?: string;
  state?: RecipeState;
}

const MAX_LISTED = 100;

function addList(recipe: Command): void {
  recipe
    .command("list")
    .description("list recipes, newest first, with how often they ran")
    .option("--application <id>", "only recipes of this application")
    .addOption(
      new Option("--state <state>", "only recipes in this state; set_aside: it failed several times in a row").choices([
        "active",
        "disabled",
        "set_aside",
      ]),
    )
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async ({ application, state, ...options }: ListOptions) => {
      const query = {
        ...(application === undefined ? {} : { application_id: application }),
        ...(state === undefined ? {} : { state }),
      };
      const list = await withRecipes(options, (all) => all.list("all", { ...query, limit: MAX_LISTED }));
      printResult(options.json, list, describeList(list));
    });
}

function describeList({ recipes, has_more, is_on }: RecipeList): string[] {
  const off = is_on ? [] : ["Recipes are turned off for the installation: ERRAND_RECIPES is off."];
  if (recipes.length === 0) return ["No recipes found. A verified errand becomes one: docs/recipes.md.", ...off];
  const more = has_more ? [`These are the newest ${MAX_LISTED}. The console shows all of them.`] : [];
  return [...toTable([HEADINGS, ...recipes.map(toRow)]), ...more, ...off];
}

const HEADINGS = ["ID", "STATE", "VERSION", "RUNS", "FAILED", "FOR", "TEMPLATE"];
const SHOWN_TEMPLATE = 80;

function toRow(recipe: RecipeItem): string[] {
  const { id, state, turned_off, version, connection, template } = recipe;
  const { runs, failed } = recipe.statistics;
  const owner = connection === null ? "all" : connection.user_email;
  const shown = template.length > SHOWN_TEMPLATE ? `${template.slice(0, SHOWN_TEMPLATE - 1)}…` : template;
  const use = turned_off === "application" ? `${state}, turned off` : state;
  return [id, use, String(version), String(runs), String(failed), clean(owner), clean(shown).replaceAll("\n", " ")];
}

function addShow(recipe: Command): void {
  addOne(recipe, "show", "show the steps, variables and runs of a recipe").action(
    async (id: string, options: CommonOptions) => {
      const found = await withRecipes(options, (recipes) => recipes.get("all", id));
      printResult(options.json, { recipe: found }, describe(found));
    },
  );
}

function describe(recipe: ConsoleRecipe): string[] {
  const { template, state, turned_off, version, origin, application, connection, start_url, variables, steps, writes } =
    recipe;
  return [
    clean(template),
    "",
    `State        ${state === "set_aside" ? "set aside: it failed several times in a row" : state}, version ${version} (${origin})`,
    ...(turned_off === null ? [] : [`Not used     recipes are turned off for the ${turned_off}`]),
    `Application  ${clean(application.name)} (${application.id})`,
    `Used by      ${connection === null ? "all connections of the application" : clean(connection.user_email)}`,
    `Starts at    ${clean(start_url ?? "the application's home page, unless its first step opens another")}`,
    `Variables    ${variables.length === 0 ? "none" : variables.map(({ name, kind }) => `${name} (${kind})`).join(", ")}`,
    `Runs         ${describeRuns(recipe.statistics)}`,
    "",
    ...steps.map((step, index) => `${`${index + 1}.`.padStart(4)} ${clean(step)}`),
    ...(writes.length === 0 ? [] : ["", `It sends: ${writes.map(clean).join(", ")}`]),
  ];
}

function describeRuns({ runs, replayed, healed, failed, tokens_saved, seconds_saved }: RecipeStatistics): string {
  if (runs === 0) return "none yet";
  const saved = `saved ${tokens_saved.toLocaleString("en")} tokens and ${pluralize(seconds_saved, "second")}`;
  return `${runs}: ${replayed} without a model, ${healed} healed, ${failed} failed; ${saved}`;
}

function addSave(recipe: Command): void {
  recipe
    .command("save")
    .description("save what a verified errand did as a recipe")
    .argument("<execution>", "the execution's id: errand run --json and the console show it")
    .addHelpText("after", "\nIts user's recipe for the same errands gets it as its next version.")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (executionId: string, options: CommonOptions) => {
      const saved = await withRecipes(options, (recipes) => recipes.saveFrom("all", executionId));
      printResult(options.json, { recipe: saved }, [
        `Saved as ${describeVersion(saved)}.`,
        describeNextRun(saved, options),
      ]);
    });
}

function describeVersion({ id, version, connection }: ConsoleRecipe): string {
  const users = connection === null ? "all connections" : clean(connection.user_email);
  return `${version === 1 ? "" : `version ${version} of `}recipe ${id}, for ${users}`;
}

function describeNextRun({ id, state, variables, turned_off }: ConsoleRecipe, options: CommonOptions): string {
  if (turned_off !== null) return `Not used: recipes are turned off for the ${turned_off}.`;
  if (state !== "active")
    return `Not used: it is ${state.replace("_", " ")}. Next: errand recipe enable ${id}${toCommandOptions(options)}`;
  const values = variables.map(({ name }) => ` --set ${name}=…`).join("");
  return `Next: errand recipe run ${id}${values}${toCommandOptions(options)}`;
}

interface RunOptions extends CommonOptions {
  set: string[];
  approval?: Approval;
}

function addRun(recipe: Command): void {
  addOne(recipe, "run", "run a recipe and show its steps")
    .addOption(listOption("--set <name=value>", "the value of a variable; repeatable"))
    .addOption(
      new Option("--approval <when>", "commits: ask before anything is bought, sent, published or deleted").choices([
        "never",
        "commits",
      ]),
    )
    .addHelpText(
      "after",
      "\nThe recipe of a connection runs as its user, one of the whole application as you. Exit codes: as errand run.",
    )
    .action(async (id: string, options: RunOptions) => {
      const variables = readAssignments(options.set);
      const { template, start_url, application, connection } = await withRecipes(options, (recipes) =>
        recipes.get("all", id),
      );
      const { runRequest } = await import("./run.ts");
      const body = { prompt: template, recipe: id, variables, approval: options.approval ?? null };
      const where = connection === null ? { application: application.id } : { connection: connection.id };
      const start = start_url === null ? {} : { startUrl: start_url };
      await runRequest(body, { ...options, ...start, ...where }).catch((error: unknown) => {
        throw toUsageError(error) ?? error;
      });
    });
}

const VARIABLES = /^variables(?:\.|$)/;

/** What is wrong with --set; null when it is anything else. */
function toUsageError(error: unknown): UsageError | null {
  if (!(error instanceof CallerError)) return null;
  const { message, details = [] } = error;
  const isAboutValues = details.length > 0 && details.every(({ path }) => VARIABLES.test(path));
  return isAboutValues ? new UsageError(message, { details, cause: error }) : null;
}

function readAssignments(texts: readonly string[]): Record<string, string> {
  const values = texts.map(readAssignment);
  const names = values.map(([name]) => name);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw new UsageError(`--set: "${repeated}" has two values.`);
  return Object.fromEntries(values);
}

function readAssignment(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--set: "${text}" must be a name and a value, such as quantity=2.`);
  return [text.slice(0, at).trim(), text.slice(at + 1)];
}

function addChange(
  recipe: Command,
  name: string,
  about: string,
  change: (target: { id: string }, recipes: ConsoleRecipes) => Promise<ConsoleRecipe>,
): void {
  addOne(recipe, name, about).action(async (id: string, options: CommonOptions) => {
    const changed = await withRecipes(options, (recipes) => change({ id }, recipes));
    const users = changed.connection === null ? "all connections" : clean(changed.connection.user_email);
    printResult(options.json, { recipe: changed }, [
      `Recipe ${changed.id} is ${changed.state}, in version ${changed.version}, for ${users} of ${clean(changed.application.name)}.`,
    ]);
  });
}

function addDelete(recipe: Command): void {
  addOne(recipe, "delete", "delete a recipe with all its versions; errands that ran with it stay").action(
    async (id: string, options: CommonOptions) => {
      await withRecipes(options, (recipes) => recipes.delete("all", id));
      printResult(options.json, { deleted: true }, ["The recipe is deleted."]);
    },
  );
}

function addExport(recipe: Command): void {
  addOne(recipe, "export", "print a recipe as a file that errand recipe import accepts").action(
    async (id: string, options: CommonOptions) => {
      const { yaml } = await withRecipes(options, (recipes) => recipes.get("all", id));
      printResult(options.json, { yaml }, [yaml.trimEnd()]);
    },
  );
}

const MAX_FILE_BYTES = 200_000;

interface ImportOptions extends CommonOptions {
  application?: string;
  connection?: string;
  recipe?: string;
}

function addImport(recipe: Command): void {
  recipe
    .command("import")
    .description("save the recipe in a file")
    .argument("<file>", "a recipe in YAML or JSON; - reads standard input")
    .option("--recipe <id>", "it becomes the next version of this recipe")
    .option("--application <id>", "it becomes a recipe of this application")
    .option("--connection <id>", "only this connection uses it (default: all of the application)")
    .addHelpText(
      "after",
      "\nWithout --recipe, a recipe of the same users with the same template, start URL and output schema gets it as its next version.",
    )
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (path: string, options: ImportOptions) => {
      const { readTextFile } = await import("./text-input.ts");
      const yaml = await readTextFile(path, "import", {
        maxBytes: MAX_FILE_BYTES,
        limit: "A recipe has at most 200 kB",
      });
      const imported = await withRecipes(options, (recipes) => importRecipe(recipes, yaml, options));
      printResult(options.json, { recipe: imported }, [
        `Imported as ${describeVersion(imported)}.`,
        describeNextRun(imported, options),
      ]);
    });
}

async function importRecipe(
  recipes: ConsoleRecipes,
  yaml: string,
  { recipe, application, connection }: ImportOptions,
): Promise<ConsoleRecipe> {
  if ((recipe === undefined) === (application === undefined))
    throw new UsageError("Say what it is for: either --recipe, or --application.");
  if (recipe !== undefined) {
    if (connection !== undefined)
      throw new UsageError("--connection goes with --application. A recipe has its users already.");
    const { version } = await recipes.get("all", recipe);
    return await recipes.addVersion("all", recipe, { yaml, version });
  }
  return await recipes.import("all", { application_id: application ?? "", connection_id: connection ?? null, yaml });
}

function addOne(recipe: Command, name: string, description: string): Command {
  return recipe
    .command(name)
    .description(description)
    .argument("<recipe>", "the recipe's id (see errand recipe list)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION);
}

async function withRecipes<Result>(
  options: CommonOptions,
  work: (recipes: ConsoleRecipes) => Promise<Result>,
): Promise<Result> {
  const { createRecipeService } = await import("../app/recipe-service.ts");
  const { createOutputSchemaChecker } = await import("../executions/output-schema-checker.ts");
  return withStorage(options, async ({ database }, config) => {
    await using outputSchemas = createOutputSchemaChecker();
    const isOn = config.recipes === "on";
    return await work(createRecipeService(database, { isOn, findOutputSchemaProblem: outputSchemas.findProblem }));
  });
}
