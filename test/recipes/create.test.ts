import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
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

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("a create request", () => {
  let started: RecipeService;
  let service: TestService;
  let recipes: TestRecipes;
  let connection: TestConnection;
  let api: Api;
  let id: string;

  beforeAll(async () => {
    started = await startRecipeService();
    ({ service, recipes } = started);
    connection = await service.connect({ registration: { homeUrl: "https://shop.example/home" } });
    api = createApi(service.url, connection);
    id = await recipes.save(connection);
  });
  afterAll(() => started[Symbol.asyncDispose]());

  interface Stored {
    recipe_id: string | null;
    recipe_version: number | null;
    recipe_values: object | null;
    recipe_off: boolean;
    prompt: string;
    start_url: string | null;
  }

  async function readStored(executionId: string): Promise<Stored | undefined> {
    const columns = "recipe_id, recipe_version, recipe_values, recipe_off, prompt, start_url";
    const [row] = await service.database.query<Stored & { id: string }>(
      `select ${columns} from executions where id = $1`,
      [executionId],
    );
    return row;
  }

  const problemsOf = async (body: object) => {
    const { status, body: answer } = await api.create(body);
    expect(status, JSON.stringify(answer)).toBe(400);
    expect(answer.error.code).toBe("INVALID_REQUEST");
    return Object.fromEntries(
      answer.error.details.map(({ path, message }: { path: string; message: string }) => [path, message]),
    );
  };

  it("runs with the recipe that its prompt matches, and looks as it always did", async () => {
    const execution = await api.created({ prompt: PROMPT, start_url: SHOP_URL });
    expect(await readStored(execution.id)).toMatchObject({ recipe_id: id, recipe_version: 1, recipe_values: VALUES });
    expect(Object.keys(execution).join()).not.toMatch(/recipe|variables/);
    const explicit = await api.created({ prompt: PROMPT, start_url: SHOP_URL, recipe: "auto" });
    expect(await readStored(explicit.id)).toMatchObject({ recipe_id: id, recipe_off: false });
  });

  it("that matches none, or wants none, has none", async () => {
    const other = await api.created({ prompt: "Say hello.", start_url: SHOP_URL });
    expect(await readStored(other.id)).toMatchObject({ recipe_id: null, recipe_values: null, recipe_off: false });
    const off = await api.created({ prompt: PROMPT, start_url: SHOP_URL, recipe: "off" });
    expect(await readStored(off.id)).toMatchObject({ recipe_id: null, recipe_off: true });
  });

  it("that names a recipe takes the values from its prompt, and starts where the recipe does", async () => {
    const execution = await api.created({ prompt: PROMPT, recipe: id });
    expect(execution).toMatchObject({ prompt: PROMPT, start_url: SHOP_URL });
    expect(await readStored(execution.id)).toMatchObject({ recipe_id: id, recipe_values: VALUES });
    const upper = await api.created({ prompt: PROMPT, recipe: id.toUpperCase(), start_url: "https://shop.example" });
    expect(await readStored(upper.id)).toMatchObject({ recipe_id: id });
  });

  it("with values has the template as its prompt, or the template with the values", async () => {
    for (const prompt of [ORDER.template, PROMPT]) {
      const execution = await api.created({ prompt, recipe: id, variables: VALUES });
      expect(execution.prompt).toBe(prompt);
      expect(await readStored(execution.id)).toMatchObject({ recipe_id: id, recipe_values: VALUES, prompt });
    }
    const long = { ...VALUES, product: "A text of more words than a prompt may have in it, and 2 numbers" };
    const execution = await api.created({ prompt: ORDER.template, recipe: id, variables: long });
    expect(await readStored(execution.id)).toMatchObject({ recipe_values: long });
  });

  it("is refused with each missing, superfluous and wrong variable by its name", async () => {
    const base = { prompt: ORDER.template, recipe: id };
    expect(await problemsOf({ ...base, variables: { quantity: "3" } })).toEqual({
      "variables.product": expect.stringContaining(ORDER.template),
    });
    expect(await problemsOf({ ...base, variables: { product: "Mug", colour: "red", size: "L" } })).toEqual({
      "variables.quantity": expect.stringContaining("is missing"),
      "variables.colour": expect.stringContaining("quantity, product"),
      "variables.size": expect.stringContaining("quantity, product"),
    });
    expect(await problemsOf({ ...base, variables: { quantity: "many", product: " " } })).toEqual({
      "variables.quantity": expect.stringContaining("a number"),
      "variables.product": expect.stringContaining("blank"),
    });
    expect(await problemsOf({ ...base, variables: { quantity: 3, product: "Mug" } })).toEqual({
      "variables.quantity": expect.stringContaining("string"),
    });
  });

  it("is refused when its prompt, start URL or output schema is not the recipe's", async () => {
    expect(await problemsOf({ prompt: "Say hello.", recipe: id })).toEqual({
      prompt: expect.stringContaining(ORDER.template),
    });
    expect(await problemsOf({ prompt: "Order 4 of Kettle", recipe: id, variables: VALUES })).toEqual({
      prompt: expect.stringContaining(ORDER.template),
    });
    expect(
      await problemsOf({ prompt: PROMPT, recipe: id, start_url: "https://else.example/", output_schema: {} }),
    ).toEqual({ start_url: expect.stringContaining(SHOP_URL), output_schema: expect.any(String) });
  });

  it("is refused when its recipe is unknown, disabled or somebody else's", async () => {
    const other = await service.connect({ applicationId: connection.applicationId });
    const foreign = await recipes.save(other);
    const elsewhere = await recipes.save({ applicationId: (await service.connect()).applicationId });
    const disabled = await recipes.save(connection, { template: "Buy <quantity> of <product>" });
    await recipes.edits.setState(disabled, "disabled");
    for (const recipe of [UNKNOWN, foreign, elsewhere, disabled, "best", ""]) {
      expect(Object.keys(await problemsOf({ prompt: PROMPT, recipe }))).toEqual(["recipe"]);
    }
    expect(await problemsOf({ prompt: PROMPT, recipe: UNKNOWN })).toEqual(
      await problemsOf({ prompt: PROMPT, recipe: foreign }),
    );
  });

  it("with values needs the id of a recipe", async () => {
    for (const recipe of ["auto", "off", null]) {
      expect(Object.keys(await problemsOf({ prompt: PROMPT, recipe, variables: VALUES }))).toEqual(["variables"]);
    }
  });

  it("is another one with another recipe or other values, and its retry is found after the recipe is gone", async () => {
    const headers = { "idempotency-key": "with-recipe" };
    const own = await recipes.save(connection, { template: "Fetch <quantity> of <product>" });
    const body = { prompt: "Fetch <quantity> of <product>", recipe: own, variables: VALUES };
    const first = await api.created(body, headers);
    await recipes.edits.delete(own);
    const again = await api.create(body, headers);
    expect([again.status, again.body.execution.id]).toEqual([200, first.id]);
    expect((await api.create({ ...body, variables: { ...VALUES, quantity: "4" } }, headers)).status).toBe(409);
    expect((await api.create({ ...body, recipe: id }, headers)).status).toBe(409);
    const plain = { "idempotency-key": "without-recipe" };
    const { id: plainId } = await api.created({ prompt: "Say hello." }, plain);
    const replay = await api.create({ prompt: "Say hello.", recipe: "auto", variables: null }, plain);
    expect([replay.status, replay.body.execution.id]).toEqual([200, plainId]);
  });

  it("uses none where the application or the installation has turned them off", async () => {
    const quiet = await service.connect({ registration: { recipes: false } });
    const own = await recipes.save(quiet);
    const quietApi = createApi(service.url, quiet);
    const { id: executionId } = await quietApi.created({ prompt: PROMPT, start_url: SHOP_URL });
    expect(await readStored(executionId)).toMatchObject({ recipe_id: null });
    expect((await quietApi.create({ prompt: PROMPT, recipe: own })).status).toBe(400);

    await using off = await startRecipeService({ ERRAND_RECIPES: "off" });
    const offConnection = await off.service.connect();
    const offId = await off.recipes.save(offConnection);
    const offApi = createApi(off.service.url, offConnection);
    await offApi.created({ prompt: PROMPT, start_url: SHOP_URL });
    expect(await off.service.database.query("select 1 from executions where recipe_id is not null")).toEqual([]);
    expect((await offApi.create({ prompt: PROMPT, recipe: offId })).status).toBe(400);
  });
});
