import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExecutionRecipe, RecipeItem } from "../../src/contract/console/recipes.ts";
import { matchRecipe } from "../../src/recipes/match-recipe.ts";
import { backUpTo, restoreFrom } from "../_harness/backup.ts";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { createTestDatabase } from "../_harness/database.ts";
import { errandJson, runErrand } from "../_harness/errand.ts";
import { temporaryFolder } from "../_harness/programs.ts";
import {
  learned,
  ORDER,
  PROMPT,
  type RecipeRun,
  type RecipeService,
  readRecipeEvents,
  runOnce,
  SHOP_URL,
  startRecipeService,
  type TestRecipes,
  VALUES,
} from "../_harness/recipes.ts";
import type { TestConnection, TestService } from "../_harness/service.ts";
import { failedErrand, startTestWorker, VERIFIED } from "../_harness/worker.ts";

const COST = {
  model: "openai:gpt",
  input_tokens: 30_000,
  cached_input_tokens: 0,
  output_tokens: 3_000,
  duration_ms: 9_000,
  requests: 10,
};
const LEARNABLE = { ...VERIFIED, cost: COST, lesson: learned() };
const OFF = { prompt: PROMPT, start_url: SHOP_URL, recipe: "off" };

describe("a verified execution from which nothing was learned", () => {
  let started: RecipeService;
  let service: TestService;
  let recipes: TestRecipes;
  let owner: ConsoleVisit;

  beforeAll(async () => {
    started = await startRecipeService();
    ({ service, recipes } = started);
    owner = await visitConsole(service, { credits: 100 });
  });
  afterAll(() => started[Symbol.asyncDispose]());

  async function connect(): Promise<TestConnection> {
    const { body } = await owner.post("/applications", { name: "Shop", type: "public" });
    return service.connect({ applicationId: body.application.id });
  }

  const runOff = (connection: TestConnection, outcome = LEARNABLE): Promise<RecipeRun> =>
    runOnce(service, connection, outcome, OFF);

  const save = (id: string, visitor = owner) => visitor.post(`/executions/${id}/recipe`);

  const read = async (id: string): Promise<{ recipe: ExecutionRecipe | null; recipe_draft: unknown }> =>
    (await owner.get(`/executions/${id}`)).body;

  const list = async ({ applicationId }: TestConnection): Promise<RecipeItem[]> =>
    (await owner.get(`/recipes?application_id=${applicationId}`)).body.recipes;

  const countDrafts = async (id: string): Promise<number> => {
    const [row] = await service.database.query<{ count: string }>(
      "select count(*) from recipe_drafts where execution_id = $1",
      [id],
    );
    return Number(row?.count);
  };

  const match = ({ connectionId }: TestConnection) =>
    matchRecipe(recipes.matches, connectionId, { prompt: PROMPT, startUrl: SHOP_URL, outputSchema: null });

  it("is saved as an active recipe of its connection, which the next errand of its kind runs with", async () => {
    const connection = await connect();
    const { id, api } = await runOff(connection);
    expect(await read(id)).toMatchObject({ recipe: null, recipe_draft: { next_version_of: null } });
    const { status, body } = await save(id.toUpperCase());
    expect([status, body.recipe]).toMatchObject([
      200,
      {
        state: "active",
        version: 1,
        origin: "saved",
        template: ORDER.template,
        connection: { id: connection.connectionId },
        learned_from: { tokens: 33_000 },
        versions: [{ execution_id: id }],
      },
    ]);
    expect(await list(connection)).toMatchObject([{ id: body.recipe.id }]);
    expect(await read(id)).toMatchObject({
      recipe: { id: body.recipe.id, outcome: "learned", values: VALUES },
      recipe_draft: null,
    });
    const next = await runOnce(service, connection, { ...VERIFIED, recipe: { kind: "replayed" } });
    expect(next.errand.recipe).toMatchObject({ id: body.recipe.id, version: 1, values: VALUES });
    // An execution that has ended gets no more events.
    expect(await readRecipeEvents(api, id)).toEqual([]);
  });

  it("is neither listed nor matched before it is saved", async () => {
    const connection = await connect();
    const { id } = await runOff(connection);
    expect(await list(connection)).toEqual([]);
    expect(await match(connection)).toBeNull();
    await save(id);
    expect(await match(connection)).toMatchObject({ values: VALUES });
  });

  it("is saved once, however often and however fast", async () => {
    const connection = await connect();
    const { id } = await runOff(connection);
    const answers = await Promise.all([save(id), save(id), save(id)]);
    const again = await save(id);
    const saved = [...answers, again].map(({ status, body }) => [status, body.recipe.id, body.recipe.version]);
    expect(saved).toEqual(saved.map(() => [200, answers[0].body.recipe.id, 1]));
    expect(await list(connection)).toHaveLength(1);
    expect(await countDrafts(id)).toBe(0);
  });

  it("and another of its kind, saved at the same time, are two versions of one recipe", async () => {
    const connection = await connect();
    const { id: one } = await runOff(connection);
    const { id: other } = await runOff(connection);
    const answers = await Promise.all([save(one), save(other)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await list(connection)).toMatchObject([{ version: 2, origin: "saved" }]);
    const [{ recipe: first }, { recipe: second }] = [await read(one), await read(other)];
    expect(first?.id).toBe(second?.id);
    expect([first?.version, second?.version].sort()).toEqual([1, 2]);
  });

  it.each(["disabled", "set_aside"])(
    "becomes the next version of a recipe that is %s, and enables it",
    async (state) => {
      const connection = await connect();
      const recipeId = await recipes.save(connection);
      await service.database.query("update recipes set state = $2, failures_in_row = 2 where id = $1", [
        recipeId,
        state,
      ]);
      const steps = [{ click: "Order now" }];
      const { id } = await runOnce(service, connection, { ...VERIFIED, lesson: learned({ steps }) });
      expect(await read(id)).toMatchObject({ recipe_draft: { next_version_of: { id: recipeId, version: 1, state } } });
      expect((await save(id)).body.recipe).toMatchObject({ id: recipeId, version: 2, state: "active" });
      const { errand } = await runOnce(service, connection, { ...VERIFIED, recipe: { kind: "replayed" } });
      expect(errand.recipe).toMatchObject({ id: recipeId, version: 2, body: { steps } });
    },
  );

  it.each(["application", "installation"])("because the %s has turned recipes off can be saved", async (who) => {
    const connection = await connect();
    const isApplication = who === "application";
    const settings: Record<string, string> = isApplication ? {} : { ERRAND_RECIPES: "off" };
    if (isApplication) await service.operations.applications.change(connection.applicationId, { recipes: false });
    const { id, api } = await runOnce(
      service,
      connection,
      LEARNABLE,
      { prompt: PROMPT, start_url: SHOP_URL },
      settings,
    );
    expect(await readRecipeEvents(api, id)).toEqual([]);
    expect(await list(connection)).toEqual([]);
    expect((await save(id)).body.recipe).toMatchObject({ state: "active", template: ORDER.template });
    expect((await read(id)).recipe?.turned_off).toBe(isApplication ? "application" : null);
  });

  it("says why it cannot be saved, also where learning is off", async () => {
    const reason = "It chose among values.";
    const { id, api } = await runOff(await connect(), {
      ...VERIFIED,
      cost: COST,
      lesson: { kind: "not_learned", reason },
    });
    expect(await readRecipeEvents(api, id)).toEqual([{ outcome: "not_learned", reason }]);
    expect(await read(id)).toMatchObject({ recipe: null, recipe_draft: null });
    const { status, body } = await save(id);
    expect([status, body.error]).toMatchObject([409, { code: "RECIPE_NOT_POSSIBLE" }]);
    expect(body.error.message).toBe(`The execution cannot be saved as a recipe. ${reason}`);
  });

  it("is needed: neither failed executions nor those whose end was not stored are saved", async () => {
    const connection = await connect();
    const failed = await runOff(connection, { ...failedErrand(), lesson: learned() } as typeof LEARNABLE);
    expect(await countDrafts(failed.id)).toBe(0);
    await service.database.query(
      "insert into recipe_drafts (execution_id, body, tokens, duration_ms) values ($1, $2, 0, 0)",
      [failed.id, JSON.stringify(ORDER)],
    );
    expect(await read(failed.id)).toMatchObject({ recipe_draft: null });
    expect((await save(failed.id)).body.error.message).toContain("It was not verified.");
    expect(await list(connection)).toEqual([]);
    await recipes.save(connection);
    const outcome = { kind: "failed", step: null, reason: "The page is another one." } as const;
    const replay = await runOnce(service, connection, { ...failedErrand(), recipe: outcome });
    expect((await save(replay.id)).body.error.message).toContain("It was not verified.");
  });

  it("keeps the recipe that it has: learned by itself, or followed", async () => {
    const connection = await connect();
    const first = await runOnce(service, connection, LEARNABLE);
    expect(await countDrafts(first.id)).toBe(0);
    const { recipe } = await read(first.id);
    const second = await runOnce(service, connection, { ...VERIFIED, recipe: { kind: "replayed" } });
    for (const { id } of [first, second]) {
      expect(await read(id)).toMatchObject({ recipe_draft: null });
      expect((await save(id)).body.recipe).toMatchObject({ id: recipe?.id, version: 1 });
    }
  });

  it("is saved by the owner of its application only", async () => {
    const connection = await connect();
    const { id } = await runOff(connection);
    const stranger = await visitConsole(service, { credits: 1 });
    const visitor = await visitConsole(service);
    expect([await save(id, stranger), await save(id, visitor)].map(({ status }) => status)).toEqual([404, 403]);
    const unknown = await save("00000000-0000-4000-8000-000000000000", stranger);
    expect([unknown.status, unknown.body.error.message]).toEqual([404, (await save(id, stranger)).body.error.message]);
    expect(await countDrafts(id)).toBe(1);
    expect(await list(connection)).toEqual([]);
  });

  it("shows the draft to the owner only, and not to its user", async () => {
    const user = await visitConsole(service);
    const { body } = await owner.post("/applications", { name: "Shop", type: "public" });
    const connection = await service.connect({ applicationId: body.application.id, email: user.email });
    const { id } = await runOff(connection);
    expect((await user.get(`/executions/${id}`)).body).toMatchObject({ recipe: null, recipe_draft: null });
    expect((await save(id, user)).status).toBe(403);
  });

  it("takes its draft with it when it is deleted, and leaves a saved recipe", async () => {
    const connection = await connect();
    const { id: kept } = await runOff(connection);
    const { id: saved } = await runOff(connection);
    await save(saved);
    await service.database.query("delete from executions where id = any($1::uuid[])", [[kept, saved]]);
    expect(await countDrafts(kept)).toBe(0);
    expect(await list(connection)).toHaveLength(1);
    expect((await save(kept)).status).toBe(404);
  });

  it("is saved from the command line", async () => {
    const connection = await connect();
    const { id } = await runOff(connection);
    const env = { DATABASE_URL: service.database.url, ERRAND_DATA_DIR: service.dataDir };
    const { code, stdout } = await runErrand(["recipe", "save", id], env);
    const [recipe] = await list(connection);
    expect([code, stdout]).toEqual([
      0,
      `Saved as recipe ${recipe?.id}, for ${recipe?.connection?.user_email}.\nNext: errand recipe run ${recipe?.id} --set quantity=… --set product=…\n`,
    ]);
    expect(await errandJson(["recipe", "save", id], env)).toMatchObject({ recipe: { id: recipe?.id, version: 1 } });
    const lesson = { kind: "not_learned", reason: "It chose." } as const;
    const { id: other } = await runOff(connection, { ...VERIFIED, cost: COST, lesson });
    const refused = await runErrand(["recipe", "save", other], env);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("It chose.")]);
  });

  it("can be saved after a restore", async () => {
    const { id } = await runOff(await connect());
    const file = `${temporaryFolder()}/all.tar.gz`;
    await backUpTo(file, service.database.url);
    await using empty = await createTestDatabase({ migrated: false });
    await restoreFrom(file, empty.url);
    const rows = await empty.query<{ body: object }>("select body from recipe_drafts where execution_id = $1", [id]);
    expect(rows).toEqual([{ body: ORDER }]);
  });

  it("ends as it would when its draft cannot be stored", async () => {
    const connection = await connect();
    await service.database.query(`
      create function refuse_draft() returns trigger language plpgsql as $$ begin raise 'no drafts today'; end $$;
      create trigger refuse_draft before insert on recipe_drafts for each row execute function refuse_draft()`);
    try {
      const { api, id } = await runOff(connection);
      expect((await api.get(id)).body.execution).toMatchObject({ status: "COMPLETED" });
      expect((await save(id)).status).toBe(409);
    } finally {
      await service.database.query("drop function refuse_draft cascade");
    }
  });

  it("keeps nothing of a run that has lost its lease", async () => {
    const connection = await connect();
    const { api, id } = await runOnce(service, connection, VERIFIED);
    await recipes.runs.keepDraft({ executionId: id, fence: 1 }, { body: ORDER, tokens: 0, durationMs: 0 });
    await using _worker = await startTestWorker(service, {
      runErrand: async () => {
        const { id: running } = (await api.list()).body.executions[0] ?? { id: "" };
        await recipes.runs.keepDraft({ executionId: running, fence: 99 }, { body: ORDER, tokens: 0, durationMs: 0 });
        return VERIFIED;
      },
    });
    const { id: other } = await api.created(OFF);
    await api.get(other, "?wait=30");
    expect([await countDrafts(id), await countDrafts(other)]).toEqual([0, 0]);
  });
});
