import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matchRecipe } from "../../src/recipes/match-recipe.ts";
import { listPromptKeys } from "../../src/recipes/template.ts";
import {
  ORDER,
  PROMPT,
  type RecipeService,
  SHOP_URL,
  startRecipeService,
  type TestRecipes,
} from "../_harness/recipes.ts";
import type { TestConnection, TestService } from "../_harness/service.ts";

const SCHEMA = { type: "object", properties: { price: { type: "number" }, name: { type: "string" } } };

describe("a stored recipe", () => {
  let started: RecipeService;
  let service: TestService;
  let recipes: TestRecipes;

  beforeAll(async () => {
    started = await startRecipeService();
    ({ service, recipes } = started);
  });
  afterAll(() => started[Symbol.asyncDispose]());

  const connect = (applicationId?: string): Promise<TestConnection> =>
    service.connect(applicationId === undefined ? { registration: { homeUrl: SHOP_URL } } : { applicationId });

  const match = (
    { connectionId }: TestConnection,
    prompt = PROMPT,
    more: { startUrl?: string | null; outputSchema?: Record<string, unknown> | null } = {},
  ) => matchRecipe(recipes.matches, connectionId, { prompt, startUrl: SHOP_URL, outputSchema: null, ...more });

  it("matches prompts that differ only in its values", async () => {
    const connection = await connect();
    const id = await recipes.save(connection);
    const values = { quantity: "3", product: "Birchbark Mug" };
    expect(await match(connection)).toEqual({ id, version: 1, values });
    expect(await match(connection, "order 3 of Birchbark Mug.")).toEqual({ id, version: 1, values });
    expect(await match(connection, "Order three of Birchbark Mug")).toBeNull();
    expect(await match(connection, "Order 3 of Birchbark Mug and tell me its price")).toBeNull();
    expect(await match(connection, "Please order 3 of Birchbark Mug")).toBeNull();
  });

  it("matches only with the same start URL, which is the home page by default", async () => {
    const connection = await connect();
    const id = await recipes.save(connection);
    expect(await match(connection, PROMPT, { startUrl: null })).toMatchObject({ id });
    expect(await match(connection, PROMPT, { startUrl: "https://shop.example" })).toMatchObject({ id });
    expect(await match(connection, PROMPT, { startUrl: "https://shop.example/sale" })).toBeNull();
  });

  it("matches only with the same output schema, whatever the order of its keys", async () => {
    const connection = await connect();
    const id = await recipes.save(connection, { output_schema: SCHEMA });
    const turned = { properties: { name: { type: "string" }, price: { type: "number" } }, type: "object" };
    expect(await match(connection, PROMPT, { outputSchema: turned })).toMatchObject({ id });
    expect(await match(connection)).toBeNull();
    expect(await match(connection, PROMPT, { outputSchema: { type: "object" } })).toBeNull();
  });

  it("matches on its own connection only, until it is promoted, and never in another application", async () => {
    const one = await connect();
    const other = await connect(one.applicationId);
    const stranger = await connect();
    const id = await recipes.save(one);
    expect(await match(other)).toBeNull();
    expect(await match(stranger)).toBeNull();
    expect(await recipes.edits.promote(id)).toBe(id);
    expect(await match(one)).toMatchObject({ id });
    expect(await match(other)).toMatchObject({ id });
    expect(await match(stranger)).toBeNull();
    expect(await recipes.matches.findUsable(other.connectionId, id)).toMatchObject({ id, state: "active" });
    expect(await recipes.matches.findUsable(stranger.connectionId, id)).toBeNull();
  });

  it("of the connection comes before a promoted one, and two that match are none", async () => {
    const connection = await connect();
    const promoted = await recipes.save({ applicationId: connection.applicationId });
    expect(await match(connection)).toMatchObject({ id: promoted });
    const own = await recipes.save(connection);
    expect(await match(connection)).toMatchObject({ id: own });
    const variables = { quantity: ORDER.variables["quantity"] ?? { kind: "number" } } as const;
    await recipes.save(connection, { template: "Order <quantity> of Birchbark Mug", variables });
    expect(await match(connection)).toBeNull();
    expect(await match(connection, "Order 3 of Kettle")).toMatchObject({ id: own });
  });

  it("that is disabled or set aside does not match", async () => {
    const connection = await connect();
    const id = await recipes.save(connection);
    await recipes.edits.setState(id, "disabled");
    expect(await match(connection)).toBeNull();
    await recipes.edits.setState(id, "active");
    expect(await match(connection)).toMatchObject({ id });
    await service.database.query("update recipes set state = 'set_aside' where id = $1", [id]);
    expect(await match(connection)).toBeNull();
  });

  it("does not match where the application uses no recipes", async () => {
    const connection = await connect();
    await recipes.save(connection);
    await service.operations.applications.change(connection.applicationId, { recipes: false });
    expect(await match(connection)).toBeNull();
  });

  it("is the only one of its connection for its kind of errands", async () => {
    const connection = await connect();
    const id = await recipes.save(connection);
    const place = { applicationId: connection.applicationId, connectionId: connection.connectionId };
    const renamed = {
      ...ORDER,
      template: "Order <count> of <thing>",
      variables: { count: { kind: "number" }, thing: { kind: "text" } },
    } as const;
    expect(await recipes.edits.save(place, renamed)).toBe(id);
    const other = await recipes.save(connection, { template: "Buy <quantity> of <product>" });
    expect(await recipes.edits.addVersion(other, 1, renamed)).toBe("another has it");
    expect(await recipes.edits.addVersion(id, 2, renamed)).toBe("added");
    expect(await match(connection)).toMatchObject({ id, version: 3, values: { count: "3", thing: "Birchbark Mug" } });
    expect(await recipes.edits.addVersion(id, 1, ORDER)).toBe("not newest");
  });

  it("that is promoted becomes the next version of the promoted one for the same errands", async () => {
    const connection = await connect();
    const promoted = await recipes.save({ applicationId: connection.applicationId });
    const own = await recipes.save(connection, { writes: ["POST /orders", "POST /thanks"] });
    expect(await recipes.edits.promote(own)).toBe(promoted);
    expect(await match(connection)).toMatchObject({ id: promoted, version: 2 });
    expect(await recipes.matches.findUsable(connection.connectionId, own)).toBeNull();
    const usable = await recipes.matches.findUsable(connection.connectionId, promoted);
    expect(usable?.body.writes).toEqual(["POST /orders", "POST /thanks"]);
  });

  it("keeps the order of the keys of its steps", async () => {
    const connection = await connect();
    const steps = [{ for_each: { list: "Products" }, steps: [{ click: "Buy" }] }];
    const id = await recipes.save(connection, { steps });
    const usable = await recipes.matches.findUsable(connection.connectionId, id);
    expect(JSON.stringify(usable?.body.steps)).toBe(JSON.stringify(steps));
  });

  it("is deleted with its connection or its application", async () => {
    const one = await connect();
    const other = await connect(one.applicationId);
    await recipes.save(one);
    await recipes.save(other);
    await recipes.save({ applicationId: one.applicationId });
    const count = async () => {
      const [row] = await service.database.query<{ count: string }>(
        "select count(*) from recipes where application_id = $1",
        [one.applicationId],
      );
      return Number(row?.count);
    };
    await service.database.query("delete from access_tokens where connection_id = $1", [one.connectionId]);
    await service.database.query("delete from connections where id = $1", [one.connectionId]);
    expect(await count()).toBe(2);
    await service.database.query("delete from access_tokens where connection_id = $1", [other.connectionId]);
    await service.database.query("delete from connections where id = $1", [other.connectionId]);
    await service.database.query("delete from applications where id = $1", [one.applicationId]);
    expect(await count()).toBe(0);
  });

  it("is looked up in an index, however many the application has", async () => {
    const connection = await connect();
    const { applicationId, connectionId } = connection;
    const id = await recipes.save(connection);
    // Of other connections, promoted ones and the connection's own, all under other keys.
    await service.database.query(
      `with made as (
         insert into recipes (application_id, connection_id, match_key, identity)
         select $1, case when number % 2 = 0 then $2::uuid end, number, decode(md5(number::text), 'hex')
         from generate_series(1, 10000) as number
         returning id
       )
       insert into recipe_versions (recipe_id, version, body, origin)
       select id, 1, $3::json, 'imported' from made`,
      [applicationId, connectionId, JSON.stringify(ORDER)],
    );
    await service.database.query("analyze recipes");
    expect(await match(connection)).toMatchObject({ id });
    const keys = listPromptKeys("any scope", PROMPT);
    const plan = await explainCandidates(recipes, [connectionId, applicationId, keys, 201]);
    expect(plan).toContain("recipes_match_own");
    expect(plan).toContain("recipes_match_promoted");
    expect(plan).not.toContain("Seq Scan");
  });
});

/** The plan of the statement that the store sends. */
async function explainCandidates({ database, matches }: TestRecipes, values: unknown[]): Promise<string> {
  const [connectionId, applicationId, keys, limit] = values as [string, string, string[], number];
  const { pool } = database;
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  let text = "";
  pool.query = ((statement: { text: string }) => {
    text = statement.text;
    return query(statement);
  }) as typeof pool.query;
  await matches.listCandidates({ connectionId, applicationId, keys, limit });
  pool.query = query as typeof pool.query;
  const { rows } = await pool.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
