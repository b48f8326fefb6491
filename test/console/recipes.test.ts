import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConsoleRecipe, RecipeItem } from "../../src/contract/console/recipes.ts";
import { createApi } from "../_harness/api.ts";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import {
  ORDER,
  PROMPT,
  type RecipeService,
  SHOP_URL,
  startRecipeService,
  type TestRecipes,
  VALUES,
} from "../_harness/recipes.ts";
import type { TestConnection, TestService } from "../_harness/service.ts";
import { failedErrand, startTestWorker, VERIFIED } from "../_harness/worker.ts";

const YAML = `template: Cancel order <number>
start_url: https://shop.example/orders
variables:
  number: number
steps:
  - open: <number>
  - click: Cancel
writes:
  - POST /orders/:id/cancel
`;

describe("recipes in the console", () => {
  let started: RecipeService;
  let service: TestService;
  let recipes: TestRecipes;
  let owner: ConsoleVisit;
  let stranger: ConsoleVisit;
  let connection: TestConnection;

  beforeAll(async () => {
    started = await startRecipeService();
    ({ service, recipes } = started);
    owner = await visitConsole(service, { credits: 100 });
    stranger = await visitConsole(service, { credits: 100 });
    connection = await newConnection();
  });
  afterAll(() => started[Symbol.asyncDispose]());

  async function newConnection(): Promise<TestConnection> {
    const { body } = await owner.post("/applications", { name: "Shop", type: "public" });
    return service.connect({ applicationId: body.application.id });
  }

  const get = async (id: string): Promise<ConsoleRecipe> => (await owner.get(`/recipes/${id}`)).body.recipe;

  /** Runs executions with this recipe, one after the other. */
  async function runAll(outcomes: ("replayed" | "healed" | "failed")[]): Promise<string[]> {
    const api = createApi(service.url, connection);
    const left = [...outcomes];
    await using _worker = await startTestWorker(service, {
      concurrency: 1,
      runErrand: async () => {
        const kind = left.shift() ?? "failed";
        if (kind === "replayed") return { ...VERIFIED, recipe: { kind } };
        const detail = { step: "1. Search", reason: "It is gone." };
        return kind === "healed"
          ? { ...VERIFIED, recipe: { kind, ...detail } }
          : { ...failedErrand(), recipe: { kind, ...detail } };
      },
    });
    const ids: string[] = [];
    for (const _ of outcomes) {
      const { id } = await api.created({ prompt: PROMPT, start_url: SHOP_URL });
      await api.get(id, "?wait=30");
      ids.push(id);
    }
    return ids;
  }

  it("are shown with their steps in words, their file, their runs and what they save", async () => {
    const id = await recipes.save(connection);
    await service.database.query("update recipes set learned_tokens = 33000, learned_ms = 60000 where id = $1", [id]);
    const ids = await runAll(["replayed", "replayed", "healed", "failed"]);
    const recipe = await get(id);
    expect(recipe).toMatchObject({
      id,
      state: "active",
      version: 1,
      origin: "imported",
      template: ORDER.template,
      start_url: SHOP_URL,
      application: { id: connection.applicationId, name: "Shop" },
      connection: { id: connection.connectionId, user_email: expect.stringContaining("@") },
      variables: [
        { name: "quantity", kind: "number", max_words: null },
        { name: "product", kind: "text", max_words: 4 },
      ],
      steps: [
        expect.stringContaining("<product>"),
        expect.any(String),
        expect.stringContaining("Order"),
        expect.any(String),
      ],
      writes: ["POST /orders"],
      output_schema: null,
      yaml: expect.stringContaining("  quantity: number\n"),
      learned_from: { tokens: 33000, seconds: 60 },
      versions: [{ version: 1, origin: "imported", execution_id: null, template: ORDER.template }],
    });
    expect(recipe.executions.map(({ id: run, outcome }) => [run, outcome])).toEqual([
      [ids[3], "failed"],
      [ids[2], "healed"],
      [ids[1], "replayed"],
      [ids[0], "replayed"],
    ]);
    expect(recipe.executions[0]).toMatchObject({ version: 1, status: "FAILED", values: VALUES });
    const counts = { runs: 4, replayed: 2, healed: 1, failed: 1, tokens_saved: 66000 };
    expect(recipe.statistics).toMatchObject({ ...counts, last_run_at: expect.any(String) });
    expect(recipe.statistics.seconds_saved).toBeGreaterThan(60);
    expect(recipe.days).toMatchObject([{ day: new Date().toISOString().slice(0, 10), ...counts }]);
    const { total, days } = (await owner.get(`/recipes/savings?application_id=${connection.applicationId}`)).body;
    expect([total, days]).toMatchObject([counts, [counts]]);
    expect((await stranger.get("/recipes/savings")).body).toMatchObject({ total: { runs: 0 }, days: [] });
    await recipes.edits.delete(id);
    const { body } = await owner.get(`/executions/${ids[0]}`);
    expect(body).toMatchObject({ execution: { status: "COMPLETED" }, recipe: null });
  });

  it("are listed newest first, by application, state and text", async () => {
    const { applicationId, connectionId } = await newConnection();
    const older = await recipes.save({ applicationId, connectionId });
    const newer = await recipes.save(
      { applicationId },
      { template: "Buy 100% of <product>", variables: { product: { kind: "text" } } },
    );
    await recipes.edits.setState(newer, "disabled");
    const list = async (query = ""): Promise<string[]> =>
      (await owner.get(`/recipes?application_id=${applicationId}${query}`)).body.recipes.map(
        ({ id }: RecipeItem) => id,
      );
    expect(await list()).toEqual([newer, older]);
    expect(await list("&limit=1")).toEqual([newer]);
    expect(await list(`&after=${newer}`)).toEqual([older]);
    expect(await list("&state=active")).toEqual([older]);
    expect(await list("&text=order")).toEqual([older]);
    expect(await list("&text=0%25")).toEqual([newer]);
    expect(await list(`&connection_id=${connectionId}`)).toEqual([older]);
    expect((await owner.get(`/recipes?after=${connectionId}`)).status).toBe(400);
    expect((await owner.get("/recipes?application_id=none")).status).toBe(400);
  });

  it("are imported, checked, changed, promoted and deleted", async () => {
    const { applicationId, connectionId } = await newConnection();
    const { status, body } = await owner.post("/recipes", {
      application_id: applicationId,
      connection_id: connectionId,
      yaml: YAML,
    });
    expect([status, body.recipe]).toMatchObject([201, { state: "active", version: 1, yaml: YAML, learned_from: null }]);
    const { id } = body.recipe;
    const edited = YAML.replace("click: Cancel", "click: Cancel order");
    const saved = await owner.post(`/recipes/${id}/versions`, { yaml: edited, version: 1 });
    expect([saved.status, saved.body.recipe.versions.map(({ origin }: { origin: string }) => origin)]).toEqual([
      201,
      ["edited", "imported"],
    ]);
    const other = {
      application_id: applicationId,
      connection_id: connectionId,
      yaml: YAML.replace("Cancel o", "Undo o"),
    };
    const { id: otherId } = (await owner.post("/recipes", other)).body.recipe;
    const same = await owner.post(`/recipes/${otherId}/versions`, { yaml: edited, version: 1 });
    expect([same.status, same.body.error.code]).toEqual([409, "RECIPE_EXISTS"]);
    const late = await owner.post(`/recipes/${id}/versions`, { yaml: YAML, version: 1 });
    expect([late.status, late.body.error.code]).toEqual([409, "RECIPE_CHANGED"]);
    const wrong = await owner.post(`/recipes/${id}/versions`, { yaml: "steps: 3", version: 2 });
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, "yaml"]);
    const schema = `${YAML}output_schema: { type: nothing }\n`;
    expect((await owner.post(`/recipes/${id}/versions`, { yaml: schema, version: 2 })).body.error.message).toContain(
      "output_schema",
    );

    expect((await owner.call("PATCH", `/recipes/${id}`, { state: "disabled" })).body.recipe.state).toBe("disabled");
    await service.database.query("update recipes set state = 'set_aside', failures_in_row = 2 where id = $1", [id]);
    expect((await owner.call("PATCH", `/recipes/${id}`, { state: "active" })).body.recipe.state).toBe("active");
    const promoted = (await owner.post(`/recipes/${id}/promote`)).body.recipe;
    expect(promoted).toMatchObject({ id, connection: null, version: 2 });
    expect((await owner.call("DELETE", `/recipes/${id}`)).status).toBe(204);
    expect((await owner.get(`/recipes/${id}`)).status).toBe(404);
  });

  it("are checked while one types", async () => {
    const check = async (yaml: string) => (await owner.post("/recipes/check", { yaml })).body;
    expect(await check(YAML)).toMatchObject({
      problem: null,
      content: {
        template: "Cancel order <number>",
        steps: [expect.stringContaining("<number>"), expect.stringContaining("Cancel")],
      },
    });
    const bad = await check(YAML.replace("click: Cancel", "clack: Cancel"));
    expect(bad).toEqual({
      content: null,
      problem: { message: expect.stringContaining("Step 2 is not a step"), line: 7 },
    });
  });

  it("are on the execution that they were learned from, with its values", async () => {
    const learner = await newConnection();
    const api = createApi(service.url, learner);
    await using _worker = await startTestWorker(service, {
      runErrand: async ({ recipe }) =>
        recipe
          ? { ...VERIFIED, recipe: { kind: "replayed" } }
          : { ...VERIFIED, lesson: { kind: "learned", body: ORDER } },
    });
    const { id } = await api.created({ prompt: PROMPT, start_url: SHOP_URL });
    await api.get(id, "?wait=30");
    const { recipe } = (await owner.get(`/executions/${id}`)).body;
    expect(recipe).toMatchObject({
      version: 1,
      outcome: "learned",
      state: "active",
      template: ORDER.template,
      values: VALUES,
    });
    const other = { quantity: "5", product: "Kettle" };
    const created = await owner.post("/executions", {
      connection_id: learner.connectionId,
      prompt: recipe.template,
      recipe: recipe.id,
      variables: other,
    });
    expect(created.status).toBe(201);
    const second = created.body.execution.id;
    await api.get(second, "?wait=30");
    expect((await owner.get(`/executions/${second}`)).body.recipe).toMatchObject({
      id: recipe.id,
      outcome: "replayed",
      values: other,
    });
    const again = await owner.post(`/executions/${second}/again`);
    expect(again.body.execution.prompt).toBe("Order 5 of Kettle");
  });

  it("are nobody else's", async () => {
    const id = await recipes.save(await newConnection());
    const visitor = await visitConsole(service);
    for (const other of [stranger, visitor]) {
      const answers = [
        await other.get(`/recipes/${id}`),
        await other.call("PATCH", `/recipes/${id}`, { state: "disabled" }),
        await other.post(`/recipes/${id}/versions`, { yaml: YAML, version: 1 }),
        await other.post(`/recipes/${id}/promote`),
        await other.call("DELETE", `/recipes/${id}`),
        await other.post("/recipes", { application_id: connection.applicationId, yaml: YAML }),
      ];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => (other === stranger ? 404 : 403)));
    }
    expect((await stranger.get("/recipes")).body.recipes).toEqual([]);
    const { applicationId } = await newConnection();
    const foreign = { application_id: applicationId, connection_id: connection.connectionId, yaml: YAML };
    expect((await owner.post("/recipes", foreign)).status).toBe(404);
    expect(await get(id)).toMatchObject({ state: "active", version: 1 });
  });
});
