import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, runErrand } from "../_harness/errand.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const YAML = `template: Order <quantity> of <product>
start_url: https://shop.example/
variables:
  quantity: number
  product:
    kind: text
    max_words: 4
steps:
  - fill:
      target: Search
      value: <product>
  - fill:
      target: Quantity
      value: <quantity>
  - click: Order
writes:
  - POST /orders
`;

describe("errand recipe", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let env: Record<string, string>;
  let folder: string;
  let file: string;
  let applicationId: string;
  let id: string;

  beforeAll(async () => {
    data = await createDataDir();
    database = await createTestDatabase();
    env = { ...data.env, DATABASE_URL: database.url };
    folder = mkdtempSync(join(tmpdir(), "errand-recipes-"));
    file = join(folder, "order.yaml");
    writeFileSync(file, YAML);
    const app = ["app", "create", "--name", "Shop", "--type", "public"];
    applicationId = (await errandJson<{ id: string }>(app, env)).id;
    expect((await runErrand(["recipe", "list"], env)).stdout).toContain("No recipes found");
    const imported = await runErrand(["recipe", "import", file, "--application", applicationId], env);
    id = /Imported as recipe ([0-9a-f-]{36}),/.exec(imported.stdout)?.[1] ?? imported.stderr;
    expect(imported.stdout).toContain(", for all connections.");
    expect(imported.stdout).toContain(`Next: errand recipe run ${id} --set quantity=… --set product=…`);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await data[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("lists and shows recipes", async () => {
    const { stdout } = await runErrand(["recipe", "list", "--application", applicationId], env);
    expect(stdout).toContain("TEMPLATE");
    expect(stdout).toMatch(new RegExp(`${id}\\s+active\\s+1\\s+0\\s+0\\s+all\\s+Order <quantity> of <product>`));
    const shown = (await runErrand(["recipe", "show", id], env)).stdout;
    expect(shown).toContain("Variables    quantity (number), product (text)");
    expect(shown).toContain("3. Click");
    expect(shown).toContain("It sends: POST /orders");
    expect(await errandJson(["recipe", "show", id], env)).toMatchObject({
      recipe: { id, template: expect.any(String) },
    });
  });

  it("exports what it imports, and imports what was changed as the next version", async () => {
    expect((await runErrand(["recipe", "export", id], env)).stdout).toBe(YAML);
    const changed = join(folder, "changed.yaml");
    writeFileSync(changed, YAML.replace("click: Order", "click: Order now"));
    const { stdout } = await runErrand(["recipe", "import", changed, "--application", applicationId], env);
    expect(stdout).toContain(`Imported as version 2 of recipe ${id}, for all connections.`);
    expect((await runErrand(["recipe", "export", id], env)).stdout).toContain("click: Order now");
    const third = await runErrand(["recipe", "import", file, "--recipe", id], env);
    expect(third.stdout).toContain(`Imported as version 3 of recipe ${id}, for all connections.`);
    for (const wrong of [[], ["--recipe", id, "--application", applicationId], ["--recipe", id, "--connection", id]]) {
      const { code, stderr } = await runErrand(["recipe", "import", file, ...wrong], env);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/--recipe|--connection/)]);
    }
  });

  it("disables and enables a recipe", async () => {
    expect((await runErrand(["recipe", "disable", id], env)).stdout).toContain(`Recipe ${id} is disabled`);
    const { recipes } = await errandJson<{ recipes: object[] }>(["recipe", "list", "--state", "disabled"], env);
    expect(recipes).toHaveLength(1);
    const unused = await runErrand(["recipe", "import", file, "--recipe", id], env);
    expect(unused.stdout).toContain(`Not used: it is disabled. Next: errand recipe enable ${id}`);
    const run = await runErrand(["recipe", "run", id, "--set", "quantity=1", "--set", "product=tea"], env);
    expect(run.stderr).toContain("is disabled. Enable it to use it again");
    expect((await runErrand(["recipe", "enable", id], env)).stdout).toContain(`Recipe ${id} is active`);
  });

  it("promotes the recipe of a connection", async () => {
    const create = ["connection", "create", "--application", applicationId, "--user", "ada@example.com"];
    const { connection_id } = await errandJson<{ connection_id: string }>(create, env);
    const own = join(folder, "own.yaml");
    writeFileSync(own, YAML.replace("Order <", "Fetch <"));
    const where = ["--application", applicationId, "--connection", connection_id];
    const { recipe } = await errandJson<{ recipe: { id: string } }>(["recipe", "import", own, ...where], env);
    expect((await runErrand(["recipe", "show", recipe.id], env)).stdout).toContain("Used by      ada@example.com");
    expect((await runErrand(["recipe", "promote", recipe.id], env)).stdout).toContain("for all connections of Shop");
    expect((await runErrand(["recipe", "delete", recipe.id], env)).stdout).toBe("The recipe is deleted.\n");
    expect((await runErrand(["recipe", "show", recipe.id], env)).code).toBe(1);
  });

  it("says what is wrong with a file, a value and an id", async () => {
    const bad = join(folder, "bad.yaml");
    writeFileSync(bad, YAML.replace("click: Order", "clack: Order"));
    const refused = await runErrand(["recipe", "import", bad, "--application", applicationId], env);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("in line 15: Step 3 is not a step")]);
    const missing = await runErrand(
      ["recipe", "import", join(folder, "none.yaml"), "--application", applicationId],
      env,
    );
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("none.yaml")]);
    for (const command of ["show", "run", "enable", "promote", "delete", "export"]) {
      const { code, stderr } = await runErrand(["recipe", command, UNKNOWN], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining("There is no recipe with this id")]);
    }
    const unsaved = await runErrand(["recipe", "save", UNKNOWN], env);
    expect([unsaved.code, unsaved.stderr]).toEqual([1, expect.stringContaining("There is no execution with this id")]);
    const set = await runErrand(["recipe", "run", id, "--set", "quantity"], env);
    expect([set.code, set.stderr]).toEqual([2, expect.stringContaining("quantity=2")]);
    const twice = await runErrand(["recipe", "run", id, "--set", "quantity=1", "--set", "quantity=2"], env);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('"quantity" has two values')]);
    const values = await runErrand(["recipe", "run", id, "--set", "quantity=many"], env);
    expect(values.code).toBe(2);
    expect(values.stderr).toContain("variables.quantity: must be a number");
    expect(values.stderr).toContain("variables.product: is missing");
  });

  it("says when recipes are turned off", async () => {
    const off = { ...env, ERRAND_RECIPES: "off" };
    expect((await runErrand(["recipe", "list"], env)).stdout).not.toContain("turned off");
    expect((await runErrand(["recipe", "list"], off)).stdout).toContain("turned off for the installation");
    expect((await runErrand(["recipe", "show", id], off)).stdout).toContain("turned off for the installation");
    expect(await errandJson(["recipe", "list"], off)).toMatchObject({ recipes: [{ turned_off: "installation" }] });
    await database.query("update applications set recipes = false where id = $1", [applicationId]);
    expect((await runErrand(["recipe", "list"], env)).stdout).toMatch(new RegExp(`${id}\\s+active, turned off\\s`));
    expect((await runErrand(["recipe", "show", id], env)).stdout).toContain("turned off for the application");
    await database.query("update applications set recipes = true where id = $1", [applicationId]);
  });

  it("explains itself", async () => {
    const { stdout } = await runErrand(["recipe", "--help"], env);
    for (const command of ["list", "show", "save", "run", "enable", "disable", "promote", "delete", "export", "import"])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
  });
});
