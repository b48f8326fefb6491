import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import type { Lesson, RecipeOutcome } from "../../src/recipes/recipe.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import {
  learned,
  ORDER,
  openRecipes,
  PROMPT,
  type RecipeService,
  readRecipeEvents,
  runOnce,
  SHOP_URL,
  startRecipeService,
  type TestRecipes,
  VALUES,
} from "../_harness/recipes.ts";
import type { TestConnection, TestService } from "../_harness/service.ts";
import { setWebhookStage } from "../_harness/webhook-stage.ts";
import { failedErrand, startTestWorker, VERIFIED } from "../_harness/worker.ts";

const COST = {
  model: "openai:gpt",
  input_tokens: 30_000,
  cached_input_tokens: 0,
  output_tokens: 3_000,
  duration_ms: 9_000,
  requests: 10,
};
const HEALED: RecipeOutcome = {
  kind: "healed",
  step: "3. Click the element Order",
  reason: "There is no such button.",
};
const FAILED: RecipeOutcome = { kind: "failed", step: null, reason: "The page is another one." };

describe("a run", () => {
  let started: RecipeService;
  let service: TestService;
  let recipes: TestRecipes;

  beforeAll(async () => {
    started = await startRecipeService();
    ({ service, recipes } = started);
  });
  afterAll(() => started[Symbol.asyncDispose]());

  const ended = async (api: Api, id: string) => (await api.get(id, "?wait=30")).body.execution;

  const run = (connection: TestConnection, outcome: ErrandOutcome, body?: object) =>
    runOnce(service, connection, outcome, body);

  const find = async ({ connectionId }: TestConnection) =>
    service.database.query<{ id: string; version: number; state: string; failures_in_row: number }>(
      "select id, version, state, failures_in_row from recipes where connection_id = $1 order by id",
      [connectionId],
    );

  it("that is verified becomes a recipe, which the next one gets with its values", async () => {
    const connection = await service.connect();
    const first = await run(connection, { ...VERIFIED, cost: COST, lesson: learned() });
    expect(first.errand).toMatchObject({ recipe: null, task: { prompt: PROMPT } });
    const [recipe] = await find(connection);
    expect(await readRecipeEvents(first.api, first.id)).toEqual([
      { outcome: "learned", recipe_id: recipe?.id, version: 1 },
    ]);

    const body = { prompt: "Order 12 of Kettle", start_url: SHOP_URL };
    const second = await run(connection, { ...VERIFIED, recipe: { kind: "replayed" } }, body);
    expect(second.errand).toMatchObject({
      recipe: { id: recipe?.id, version: 1, body: ORDER, values: { quantity: "12", product: "Kettle" } },
    });
    expect(await readRecipeEvents(second.api, second.id)).toEqual([
      { outcome: "used", recipe_id: recipe?.id, version: 1 },
      { outcome: "replayed", recipe_id: recipe?.id, version: 1 },
    ]);
    const [day] = await service.database.query<Record<string, string>>(
      "select replayed, healed, failed, tokens_saved, ms_saved from recipe_days where recipe_id = $1",
      [recipe?.id],
    );
    expect(day).toMatchObject({ replayed: 1, healed: 0, failed: 0, tokens_saved: "33000" });
    await expectLedgerAddsUp(service);
  });

  it("with a template as its prompt gets the task with the values in it", async () => {
    const connection = await service.connect();
    const id = await recipes.save(connection);
    const body = { prompt: ORDER.template, recipe: id, variables: VALUES };
    const { errand } = await run(connection, { ...VERIFIED, recipe: { kind: "replayed" } }, body);
    expect(errand.task).toMatchObject({ prompt: PROMPT, startUrl: SHOP_URL });
    expect(errand.recipe).toMatchObject({ id, values: VALUES });
  });

  it("says why it is not learned", async () => {
    const connection = await service.connect();
    const lesson: Lesson = { kind: "not_learned", reason: "It chose among values." };
    const { api, id } = await run(connection, { ...VERIFIED, lesson });
    expect(await readRecipeEvents(api, id)).toEqual([{ outcome: "not_learned", reason: "It chose among values." }]);
    expect(await find(connection)).toEqual([]);
  });

  it("teaches nothing twice", async () => {
    const connection = await service.connect();
    await run(connection, { ...VERIFIED, lesson: learned() });
    const body = { prompt: "Say hello.", start_url: SHOP_URL };
    const { api, id } = await run(connection, { ...VERIFIED, lesson: learned({ writes: [] }) }, body);
    expect(await readRecipeEvents(api, id)).toEqual([]);
    expect(await find(connection)).toMatchObject([{ version: 1 }]);
  });

  it("that a model has healed becomes the next version", async () => {
    const connection = await service.connect();
    const id = await recipes.save(connection);
    const lesson = learned({ steps: [{ click: "Order now" }] });
    const first = await run(connection, { ...VERIFIED, recipe: HEALED, lesson });
    expect(await readRecipeEvents(first.api, first.id)).toEqual([
      { outcome: "used", recipe_id: id, version: 1 },
      { outcome: "healed", recipe_id: id, version: 1, step: HEALED.step, reason: HEALED.reason },
      { outcome: "learned", recipe_id: id, version: 2 },
    ]);
    const { errand } = await run(connection, { ...VERIFIED, recipe: { kind: "replayed" } });
    expect(errand.recipe).toMatchObject({ id, version: 2, body: { steps: [{ click: "Order now" }] } });
  });

  it("that has healed a promoted recipe changes it for its own connection only", async () => {
    const connection = await service.connect();
    const promoted = await recipes.save({ applicationId: connection.applicationId });
    await run(connection, { ...VERIFIED, recipe: HEALED, lesson: learned({ steps: [{ click: "For me" }] }) });
    const [own] = await find(connection);
    expect(own).toMatchObject({ version: 1, state: "active" });
    const other = await service.connect({ applicationId: connection.applicationId });
    const { errand } = await run(other, { ...VERIFIED, recipe: { kind: "replayed" } });
    expect(errand.recipe).toMatchObject({ id: promoted, version: 1, body: { steps: ORDER.steps } });
    const mine = await run(connection, { ...VERIFIED, recipe: { kind: "replayed" } });
    expect(mine.errand.recipe).toMatchObject({ id: own?.id, body: { steps: [{ click: "For me" }] } });
  });

  it("whose recipe fails for the second time in a row sets it aside", async () => {
    const connection = await service.connect();
    const id = await recipes.save(connection);
    const failing = { ...failedErrand(), recipe: FAILED };
    await run(connection, failing);
    await run(connection, { ...VERIFIED, recipe: { kind: "replayed" } });
    await run(connection, failing);
    expect(await find(connection)).toMatchObject([{ state: "active", failures_in_row: 1 }]);
    const last = await run(connection, failing);
    expect(await find(connection)).toMatchObject([{ state: "set_aside" }]);
    expect(await readRecipeEvents(last.api, last.id)).toEqual([
      { outcome: "used", recipe_id: id, version: 1 },
      { outcome: "failed", recipe_id: id, version: 1, reason: FAILED.reason },
      { outcome: "set_aside", recipe_id: id, version: 1 },
    ]);
    const { errand } = await run(connection, VERIFIED);
    expect(errand.recipe).toBeNull();
  });

  it("whose recipe fails at a step with a value in it sets it aside only after five failures", async () => {
    const connection = await service.connect();
    const id = await recipes.save(connection);
    const failing: ErrandOutcome = { ...failedErrand(), recipe: { ...FAILED, usesValue: true } };
    for (let count = 1; count <= 4; count++) await run(connection, failing);
    expect(await find(connection)).toMatchObject([{ state: "active", failures_in_row: 0 }]);
    await run(connection, { ...VERIFIED, recipe: { kind: "replayed" } });
    for (let count = 1; count <= 4; count++) await run(connection, failing);
    expect(await find(connection)).toMatchObject([{ state: "active" }]);
    const last = await run(connection, failing);
    expect(await find(connection)).toMatchObject([{ state: "set_aside" }]);
    expect((await readRecipeEvents(last.api, last.id)).at(-1)).toMatchObject({ outcome: "set_aside" });
    await recipes.edits.setState(id, "active");
    await run(connection, failing);
    expect(await find(connection)).toMatchObject([{ state: "active" }]);
  });

  it("gets no recipe that was disabled while it was queued, and none if they are off", async () => {
    const connection = await service.connect();
    const id = await recipes.save(connection);
    const api = createApi(service.url, connection);
    const { id: queued } = await api.created({ prompt: PROMPT, start_url: SHOP_URL });
    await recipes.edits.setState(id, "disabled");
    const got: Errand[] = [];
    await using _worker = await startTestWorker(service, {
      runErrand: async (errand) => {
        got.push(errand);
        return VERIFIED;
      },
    });
    await ended(api, queued);
    expect(got[0]).toMatchObject({ recipe: null });
    const off = { prompt: PROMPT, start_url: SHOP_URL, recipe: "off" };
    await ended(api, (await api.created(off)).id);
    expect(got[1]).toMatchObject({ recipe: null });
  });

  it("neither uses nor learns a recipe where the installation has turned them off", async () => {
    const connection = await service.connect();
    await recipes.save(connection);
    const outcome = { ...VERIFIED, lesson: learned({ template: "Something else" }) };
    const { errand, api, id } = await runOnce(service, connection, outcome, undefined, { ERRAND_RECIPES: "off" });
    expect(errand).toMatchObject({ recipe: null });
    expect(await readRecipeEvents(api, id)).toEqual([]);
    expect(await find(connection)).toHaveLength(1);
  });

  it("ends as it would when its lesson cannot be stored", async () => {
    const connection = await service.connect();
    const lesson = learned();
    await service.database.query(`
      create function refuse_version() returns trigger language plpgsql as $$ begin raise 'no versions today'; end $$;
      create trigger refuse_version before insert on recipe_versions for each row execute function refuse_version()`);
    try {
      const { api, id } = await run(connection, { ...VERIFIED, lesson });
      expect(await ended(api, id)).toMatchObject({ status: "COMPLETED", terminal: { status: "verified" } });
      expect(await readRecipeEvents(api, id)).toEqual([]);
    } finally {
      await service.database.query("drop function refuse_version cascade");
    }
    expect(await find(connection)).toEqual([]);
  });

  it("ends while its lesson still waits to be stored", async () => {
    const connection = await service.connect();
    const holder = new pg.Client({ connectionString: service.database.url });
    await holder.connect();
    await holder.query("begin");
    await holder.query("lock table recipe_versions in share row exclusive mode");
    const { api, id } = await run(connection, { ...VERIFIED, lesson: learned() });
    expect(await ended(api, id)).toMatchObject({ status: "COMPLETED" });
    await holder.end();
  });

  it("that was canceled says nothing about its recipe", async () => {
    const connection = await service.connect();
    const id = await recipes.save(connection);
    const api = createApi(service.url, connection);
    const started = Promise.withResolvers<void>();
    await using _worker = await startTestWorker(service, {
      async runErrand({ signal }) {
        started.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return { ...failedErrand(), recipe: FAILED };
      },
    });
    const { id: executionId } = await api.created({ prompt: PROMPT, start_url: SHOP_URL });
    await started.promise;
    await api.cancel(executionId);
    expect(await ended(api, executionId)).toMatchObject({ terminal: { status: "canceled" } });
    expect(await readRecipeEvents(api, executionId)).toEqual([{ outcome: "used", recipe_id: id, version: 1 }]);
    expect(await find(connection)).toMatchObject([{ failures_in_row: 0 }]);
  });

  it("with a recipe starts while the model is away, and the others when it is back", async () => {
    const connection = await service.connect();
    const other = await service.connect();
    await recipes.save(connection);
    const api = createApi(service.url, connection);
    const otherApi = createApi(service.url, other);
    let isAway = true;
    const prompts: string[] = [];
    await using _worker = await startTestWorker(service, {
      pollMs: 50,
      checkModel: async () => {
        if (isAway) throw new Error("no route to the model");
      },
      runErrand: async ({ task, recipe }) => {
        prompts.push(task.prompt);
        if (recipe) return { ...VERIFIED, recipe: { kind: "replayed" } };
        return isAway ? failedErrand({ failure: "model_error", code: "MODEL_OVERLOADED" }) : VERIFIED;
      },
    });
    const { id: first } = await otherApi.created({ prompt: "One that needs the model." });
    expect(await ended(otherApi, first)).toMatchObject({ terminal: { status: "model_error" } });
    // Older ones of the same connection and of others stay queued.
    const waiting = [
      [otherApi, (await otherApi.created({ prompt: "Another one." })).id],
      [api, (await api.created({ prompt: "An older one." })).id],
    ] as const;
    const { id: replay } = await api.created({ prompt: PROMPT, start_url: SHOP_URL });
    expect(await ended(api, replay)).toMatchObject({ status: "COMPLETED" });
    for (const [of, id] of waiting) expect((await of.get(id)).body.execution.status).toBe("QUEUED");
    isAway = false;
    for (const [of, id] of waiting) expect(await ended(of, id)).toMatchObject({ status: "COMPLETED" });
    expect(prompts.slice(0, 2)).toEqual(["One that needs the model.", PROMPT]);
    await expectLedgerAddsUp(service);
  });
});

it("a webhook says which recipe an execution ran with", async () => {
  await using stage = await setWebhookStage();
  await using recipes = openRecipes(stage.service.database.url);
  const { api } = stage;
  const [place] = await stage.service.database.query<{ applicationId: string; connectionId: string }>(
    'select id as "connectionId", application_id as "applicationId" from connections',
  );
  const id = await recipes.save(place ?? { applicationId: "" });
  const { path } = await stage.register();
  await using _worker = await startTestWorker(stage.service, {
    runErrand: async ({ recipe }) => (recipe ? { ...VERIFIED, recipe: { kind: "replayed" } } : VERIFIED),
  });
  for (const prompt of [PROMPT, "Say hello."]) {
    const { id: executionId } = await api.created({ prompt, start_url: SHOP_URL });
    await api.get(executionId, "?wait=30");
  }
  const messages = (await stage.receiver.messages(path, 2)).map(({ body }) => JSON.parse(body).data);
  expect(messages.map(({ recipe }) => recipe)).toEqual([{ id, version: 1, outcome: "replayed" }, null]);
});
