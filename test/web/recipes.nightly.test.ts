import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import type { ConsoleRecipe } from "../../src/contract/console/recipes.ts";
import type { RecipeBody } from "../../src/recipes/recipe.ts";
import { createApi } from "../_harness/api.ts";
import { type ConsoleWeb, expectAccessible, startConsoleShop } from "../_harness/console-web.ts";
import type { Party } from "../_harness/console-world.ts";
import { startTestWorker, type TestWorker, VERIFIED } from "../_harness/worker.ts";

const PHONE = { viewport: { width: 390, height: 844 } };
/** The machine may be busy. */
const PATIENTLY = { timeout: 100_000 };
const DAY_MS = 86_400_000;

describe("recipes in the console", () => {
  let web: ConsoleWeb;
  let shop: Party;
  let worker: TestWorker;
  let run: (errand: Errand) => Promise<ErrandOutcome> = async () => VERIFIED;

  beforeAll(async () => {
    ({ web, shop } = await startConsoleShop());
    worker = await startTestWorker(web.service, { runErrand: (errand) => run(errand) });
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });

  const idOf = (url: string) => new URL(url).pathname.split("/").at(-1) ?? "";

  async function read(id: string): Promise<ConsoleRecipe> {
    const { status, body } = await shop.owner.get(`/recipes/${id}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.recipe;
  }

  /** A recipe of the shop's user, or of all users. */
  async function imported(noun: string, { isPromoted = false } = {}): Promise<ConsoleRecipe> {
    const { status, body } = await shop.owner.post("/recipes", {
      application_id: shop.connection.applicationId,
      connection_id: isPromoted ? null : shop.connection.connectionId,
      yaml: writeRecipe(noun),
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.recipe;
  }

  async function saved(recipe: ConsoleRecipe, yaml: string): Promise<void> {
    const { status, body } = await shop.owner.post(`/recipes/${recipe.id}/versions`, { yaml, version: recipe.version });
    expect(status, JSON.stringify(body)).toBe(201);
  }

  async function ended(request: { prompt: string } & Record<string, unknown>): Promise<string> {
    const api = createApi(web.service.url, shop.connection);
    const { id } = await api.created(request);
    await expect
      .poll(async () => (await shop.owner.get(`/executions/${id}`)).body.execution.terminal, PATIENTLY)
      .not.toBe(null);
    return id;
  }

  test("the list says what a recipe is, before there is one", async () => {
    await using opened = await web.open(shop.owner, "/");
    const { page } = opened;
    await page.getByRole("navigation").getByRole("link", { name: "Recipes" }).click();
    await page.getByRole("heading", { name: "No recipes yet" }).waitFor();
    await page.getByText("A recipe is what a verified errand did").waitFor();
    await expectAccessible(page);
    expect(opened.complaints).toEqual([]);
  });

  test("people without applications are told where to look", async () => {
    await using opened = await web.open(shop.user, "/recipes");
    await opened.page.getByRole("heading", { name: "Recipes belong to applications" }).waitFor();
    expect(await opened.page.getByRole("navigation").getByRole("link", { name: "Recipes" }).count()).toBe(0);
  });

  test("recipes are listed with what they saved, and can be searched and filtered", async () => {
    const mug = await imported("mugs");
    const kettle = await imported("kettles", { isPromoted: true });
    await shop.owner.call("PATCH", `/recipes/${kettle.id}`, { state: "disabled" });
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
    await web.service.database.query(
      `insert into recipe_days (recipe_id, day, replayed, healed, failed, tokens_saved, ms_saved, last_run_at)
       values ($1, $2, 6, 2, 1, 198000, 126000, now())`,
      [mug.id, yesterday],
    );
    await using opened = await web.open(shop.owner, "/recipes");
    const { page } = opened;
    const rows = page.getByRole("list", { name: "Recipes" }).getByRole("listitem");
    await expect.poll(() => rows.count(), PATIENTLY).toBe(2);
    const row = rows.filter({ hasText: "mugs" });
    await row.getByText(shop.user.email).waitFor();
    expect(await row.getByRole("definition").allTextContents()).toEqual(["9", "88 %", "2", "198K", "2 min 6 s"]);
    expect(await row.locator(".slot").allTextContents()).toEqual(["<quantity>", "<colour>"]);
    expect(await rows.filter({ hasText: "kettles" }).textContent()).toMatch(/all users.*Disabled/);
    await page.getByRole("img", { name: /Tokens saved per day: 198K in 30 days/ }).waitFor();
    await expectAccessible(page);

    await page.getByRole("radiogroup", { name: "Measure" }).getByText("Runs").click();
    await page.getByRole("button", { name: "Show as table" }).click();
    await expect
      .poll(() => page.getByRole("table").getByRole("row").last().textContent(), PATIENTLY)
      .toBe(`${yesterday}621`);

    await page.getByLabel("Search recipes").fill("KETTLES");
    await expect.poll(() => rows.allTextContents().then((texts) => texts.length), PATIENTLY).toBe(1);
    expect(new URL(page.url()).search).toBe("?text=KETTLES");
    await page.getByLabel("State").selectOption("Active");
    await page.getByRole("heading", { name: "No matching recipes" }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => rows.count(), PATIENTLY).toBe(2);
    expect(await page.getByLabel("Search recipes").inputValue()).toBe("");
    expect(opened.complaints).toEqual([]);
  });

  test("a recipe shows its steps, variables, requests and the difference between versions", async () => {
    const first = await imported("bowls");
    await saved(first, writeRecipe("bowls").replace("Add to cart", "Put into the cart"));
    await using opened = await web.open(shop.owner, `/recipes/${first.id}`, PHONE);
    const { page } = opened;
    await page.getByRole("heading", { level: 1, name: "Order <quantity> <colour> bowls" }).waitFor();
    expect(await page.getByRole("list", { name: "Steps" }).getByRole("listitem").count()).toBe(3);
    await page.getByText("POST /cart/items", { exact: true }).waitFor();
    await page.getByText("Number", { exact: true }).waitFor();
    await page.getByText("Changes since version 1").click();
    const lines = page.getByRole("list", { name: "Steps" }).last().getByRole("listitem");
    const changed = (await lines.allTextContents()).filter((line) => line.includes("cart"));
    expect(changed.map((line) => /(Added|Removed): .*(Add to|Put into the) cart/.exec(line)?.slice(1))).toEqual([
      ["Removed", "Add to"],
      ["Added", "Put into the"],
    ]);
    expect(await isWiderThanScreen(page)).toBe(false);
    await expectAccessible(page);
    expect(opened.complaints).toEqual([]);
  });

  test("a recipe is disabled, enabled, exported and deleted", async () => {
    const { id } = await imported("plates");
    await using opened = await web.open(shop.owner, `/recipes/${id}`);
    const { page } = opened;
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByText("This recipe is disabled").waitFor();
    expect((await read(id)).state).toBe("disabled");
    expect(await page.getByRole("button", { name: "Run", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    expect((await read(id)).state).toBe("active");

    await page.getByRole("button", { name: "More" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Export as YAML" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("order-quantity-colour-plates-v1.yaml");
    expect(await readFile(await download.path(), "utf8")).toBe((await read(id)).yaml);

    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete permanently" }).click();
    await page.waitForURL(/\/console\/recipes$/);
    expect((await shop.owner.get(`/recipes/${id}`)).status).toBe(404);
    expect(opened.complaints).toEqual([]);
  });

  test("a recipe is promoted only after it was read", async () => {
    const { id } = await imported("forks");
    await using opened = await web.open(shop.owner, `/recipes/${id}`);
    const { page } = opened;
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Promote to all users" }).click();
    const dialog = page.getByRole("dialog", { name: "Promote to all users?" });
    expect(await dialog.getByRole("list", { name: "Steps" }).getByRole("listitem").count()).toBe(3);
    expect(await dialog.getByRole("region", { name: "The whole file" }).textContent()).toBe((await read(id)).yaml);
    const promote = dialog.getByRole("button", { name: "Promote" });
    expect(await promote.isDisabled()).toBe(true);
    await expectAccessible(page);
    await dialog.getByLabel("I've read it").check();
    await promote.click();
    await page.getByText("for all users").waitFor();
    expect((await read(id)).connection).toBe(null);
    expect(opened.complaints).toEqual([]);
  });

  test("the editor checks while one types, names the line and saves a new version", async () => {
    const first = await imported("spoons");
    await using opened = await web.open(shop.owner, `/recipes/${first.id}`);
    const { page } = opened;
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    const text = page.getByLabel("Recipe as YAML");
    expect(await text.inputValue()).toBe(first.yaml);
    const save = page.getByRole("button", { name: "Save as version 2" });
    const reading = page.getByRole("region", { name: "What it means" });
    await reading.getByText("Valid: 3 steps.").waitFor();
    expect(await save.isDisabled()).toBe(true);

    await text.fill(first.yaml.replace("- click:", "- clik:"));
    const line = first.yaml.split("\n").findIndex((line) => line.includes("- click:")) + 1;
    await reading.getByRole("button", { name: `Line ${line}` }).waitFor();
    expect(await save.isDisabled()).toBe(true);
    await expectAccessible(page);
    await reading.getByRole("button", { name: `Line ${line}` }).click();
    const selected = await text.evaluate((area: HTMLTextAreaElement) =>
      area.value.slice(area.selectionStart, area.selectionEnd),
    );
    expect(selected).toContain("clik");

    await text.fill(first.yaml.replace("Add to cart", "Buy"));
    await reading.getByText("Valid: 3 steps.").waitFor();
    await saved(first, first.yaml.replace("Add to cart", "Order"));
    await save.click();
    await page.getByText("There is a newer version").waitFor();
    expect((await read(first.id)).version).toBe(2);
    await page.getByRole("button", { name: "Keep my text" }).click();
    await page.getByRole("button", { name: "Save as version 3" }).click();
    await page.waitForURL(new RegExp(`/recipes/${first.id}$`));
    const { version, yaml } = await read(first.id);
    expect([version, yaml.includes("Buy")]).toEqual([3, true]);
    expect(opened.complaints.filter((complaint) => !complaint.includes("409"))).toEqual([]);
  });

  test("a recipe is imported from a file, for one user", async () => {
    await using opened = await web.open(shop.owner, "/recipes/import", PHONE);
    const { page } = opened;
    const action = page.getByRole("button", { name: "Import" });
    await page.getByLabel("Recipe file").setInputFiles({
      name: "jars.yaml",
      mimeType: "application/yaml",
      buffer: Buffer.from(writeRecipe("jars")),
    });
    await page.getByText("Valid: 3 steps.").waitFor();
    await page.getByLabel("User").selectOption({ label: shop.user.email });
    expect(await isWiderThanScreen(page)).toBe(false);
    await expectAccessible(page);
    await action.click();
    await page.getByRole("heading", { level: 1, name: "Order <quantity> <colour> jars" }).waitFor();
    const { origin, connection } = await read(idOf(page.url()));
    expect([origin, connection?.id]).toEqual(["imported", shop.connection.connectionId]);
    expect(opened.complaints).toEqual([]);
  });

  test("an errand becomes a recipe, and runs with other values", async () => {
    run = async ({ recipe }) =>
      recipe == null
        ? { ...VERIFIED, lesson: { kind: "learned", body: LEARNED } }
        : { ...VERIFIED, recipe: { kind: "replayed" } };
    const id = await ended({ prompt: "Order 2 red cups" });
    await using opened = await web.open(shop.owner, `/executions/${id}`);
    const { page } = opened;
    const card = page.getByRole("region", { name: "Recipe" });
    await card.getByText("This errand became a recipe.").waitFor();
    await page.getByRole("button", { name: "Run with other values" }).click();
    const form = page.getByRole("form", { name: "Run with other values" });
    expect(await form.getByLabel("Quantity").inputValue()).toBe("2");
    await form.getByText("it does the same again").waitFor();
    await form.getByLabel("Quantity").fill("many");
    await form.getByLabel("Colour").fill("blue");
    await form.getByText("Order many blue cups").waitFor();
    await form.getByRole("button", { name: "Run errand" }).click();
    await form.getByText("It must be a number").waitFor();
    await expect
      .poll(() => form.getByLabel("Quantity").evaluate((field) => field === document.activeElement), PATIENTLY)
      .toBe(true);
    await expectAccessible(page);
    await form.getByLabel("Quantity").fill("5");
    await form.getByRole("button", { name: "Run errand" }).click();
    await page.waitForURL((url) => idOf(url.href) !== id);
    await page.getByRole("heading", { level: 1, name: "Order 5 blue cups" }).waitFor();
    await card.getByText("Ran with version 1 of a recipe, without a model.").waitFor();
    const { recipe } = (await shop.owner.get(`/executions/${idOf(page.url())}`)).body;
    expect(recipe).toMatchObject({ outcome: "replayed", values: { quantity: "5", colour: "blue" } });
    await card.getByRole("link", { name: "View the recipe" }).click();
    const errands = page.getByRole("list", { name: "Last errands" }).getByRole("listitem");
    await expect.poll(() => errands.first().textContent(), PATIENTLY).toMatch(/quantity: 5.*colour: blue/);
    expect(opened.complaints.filter((complaint) => !complaint.includes("400"))).toEqual([]);
  });

  test("an errand from which nothing was learned is saved as a recipe", async () => {
    const body = toBody("lids");
    run = async () => ({ ...VERIFIED, lesson: { kind: "learned", body } });
    const id = await ended({ prompt: "Order 2 red lids", start_url: "https://shop.example/", recipe: "off" });
    await using opened = await web.open(shop.owner, `/executions/${id}`, PHONE);
    const { page } = opened;
    const card = page.getByRole("region", { name: "Recipe" });
    const save = card.getByRole("button", { name: "Save as recipe" });
    await save.waitFor();
    expect(await card.getByRole("link").count()).toBe(0);
    expect(await isWiderThanScreen(page)).toBe(false);
    await expectAccessible(page);
    await save.click();
    await card.getByText("This errand became a recipe.").waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    const link = card.getByRole("link", { name: "View the recipe" });
    await expect.poll(() => link.evaluate((one) => one === document.activeElement), PATIENTLY).toBe(true);
    await page.getByRole("button", { name: "Run with other values" }).waitFor();
    await link.click();
    await page.getByRole("heading", { level: 1, name: body.template }).waitFor();
    const { origin, state, connection } = await read(idOf(page.url()));
    expect([origin, state, connection?.id]).toEqual(["saved", "active", shop.connection.connectionId]);
    expect(opened.complaints).toEqual([]);
  });

  test("a disabled recipe gets what an errand did as its next version, and one in use only a link", async () => {
    const recipe = await imported("mats");
    run = async () => ({ ...VERIFIED, lesson: { kind: "learned", body: toBody("mats") } });
    const id = await ended({ prompt: "Order 2 red mats", start_url: "https://shop.example/", recipe: "off" });
    await using opened = await web.open(shop.owner, `/executions/${id}`);
    const { page } = opened;
    const card = page.getByRole("region", { name: "Recipe" });
    await card.getByText("This user has a recipe for errands like this one.").waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    await shop.owner.call("PATCH", `/recipes/${recipe.id}`, { state: "disabled" });
    await page.reload();
    await expectAccessible(page);
    await card.getByRole("button", { name: "Save as version 2" }).click();
    await card.getByText("This errand became version 2 of a recipe.").waitFor();
    expect(await read(recipe.id)).toMatchObject({ version: 2, state: "active" });
    expect(opened.complaints).toEqual([]);
  });

  test("an application switches recipes off and on, and its recipes say so", async () => {
    const { id } = await imported("bowls");
    const path = `/applications/${shop.connection.applicationId}`;
    await using opened = await web.open(shop.owner, `${path}/settings`);
    const { page } = opened;
    const learns = page.getByLabel("Learn and use recipes");
    for (const isOn of [false, true]) {
      await learns.setChecked(isOn);
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(async () => (await shop.owner.get(path)).body.application.recipes, PATIENTLY).toBe(isOn);
      await using recipe = await web.open(shop.owner, `/recipes/${id}`);
      await recipe.page.getByRole("heading", { name: "Steps" }).waitFor();
      expect(await recipe.page.getByText("Recipes are turned off", { exact: true }).count()).toBe(isOn ? 0 : 1);
      expect(await recipe.page.getByRole("button", { name: "Run", exact: true }).count()).toBe(isOn ? 1 : 0);
      await expectAccessible(recipe.page);
      await using list = await web.open(shop.owner, "/recipes?text=bowls");
      const row = list.page.getByRole("listitem").filter({ hasText: "bowls" });
      await row.waitFor();
      expect(await row.getByText("turned off in the application's settings").count()).toBe(isOn ? 0 : 1);
    }
    expect(opened.complaints).toEqual([]);
  });

  test("an errand says why it became no recipe, and at which step one could not be followed", async () => {
    const { id: recipeId } = await imported("trays");
    run = async ({ recipe }) =>
      recipe == null
        ? { ...VERIFIED, lesson: { kind: "not_learned", reason: "The prompt leaves a choice." } }
        : { ...VERIFIED, recipe: { kind: "healed", step: "Click “Add to cart”", reason: "There is no such button." } };
    const unlearned = await ended({ prompt: "Order the best tray" });
    const healed = await ended({ prompt: "Order 3 green trays", recipe: recipeId });
    await using opened = await web.open(shop.owner, `/executions/${unlearned}`);
    const { page } = opened;
    const card = page.getByRole("region", { name: "Recipe" });
    await card.getByText("This errand can't become a recipe. The prompt leaves a choice.").waitFor();
    expect(await page.getByRole("button", { name: "Run with other values" }).count()).toBe(0);
    await page.goto(`${web.service.url}/console/executions/${healed}`);
    await card.getByText("until a model took over").waitFor();
    await card.getByText("Step: Click “Add to cart”").waitFor();
    await card.getByText("There is no such button.").waitFor();
    await expectAccessible(page);
    expect(opened.complaints).toEqual([]);
  });
});

/** Wider pages scroll sideways on a phone. */
function isWiderThanScreen(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

function writeRecipe(noun: string): string {
  return `template: Order <quantity> <colour> ${noun}
start_url: https://shop.example/
variables:
  quantity: number
  colour: text
steps:
  - fill:
      target: Quantity
      value: <quantity>
  - select:
      target: Colour
      value: <colour>
  - click: Add to cart
writes:
  - POST /cart/items
`;
}

/** What the run "Order 2 red cups" teaches. */
const LEARNED: RecipeBody = {
  template: "Order <quantity> <colour> cups",
  start_url: null,
  output_schema: null,
  variables: { quantity: { kind: "number" }, colour: { kind: "text" } },
  steps: [{ fill: { target: "Quantity", value: "<quantity>" } }, { click: "Add to cart" }],
  writes: ["POST /cart/items"],
};

/** Of the same errands as `writeRecipe`. */
function toBody(noun: string): RecipeBody {
  const template = `Order <quantity> <colour> ${noun}`;
  return { ...LEARNED, template, start_url: "https://shop.example/" };
}
