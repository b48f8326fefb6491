import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoShop, startDemoShop } from "../../../demo/shop.ts";
import type { RecipeBody } from "../../../src/recipes/recipe.ts";
import { matchTemplate } from "../../../src/recipes/template.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type ChangedSite, startChangedSite } from "../../_harness/changed-site.ts";
import { done, type Line, play, type ShownTurn } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";
import { lessonOf, withRecipe } from "../../_harness/recipe-stage.ts";

const PROMPT = "Put 2 of the Brindle Kettle into my cart, apply the voucher WELCOME10 and tell me the total.";
const AGAIN = "put 3 of the Ossery Mug into my cart, apply the voucher FREESHIP and tell me the total";

const add: Line = (turn) => declare(turn, 'button "Add to', "Add 2 Brindle Kettles to the cart.");
const total = (turn: ShownTurn) => /^ *Total\n *(€[\d.,]+)$/m.exec(turn.page)?.[1] ?? "";
const ORDER: Line[] = [
  (turn) => turn.fill('searchbox "Search all products"', "Brindle Kettle", { submit: true }),
  (turn) => turn.click('link "Brindle Kettle"'),
  (turn) => turn.select('combobox "Quantity"', "2"),
  add,
  (turn) => turn.fill('textbox "Voucher code"', "WELCOME10"),
  (turn) => declare(turn, 'button "Apply"', "Apply the voucher WELCOME10."),
  (turn) =>
    done(`The total is ${total(turn)}.`, {
      facts: [{ about: "total", value: total(turn), quote: total(turn) }],
      proofs: [{ text: "Voucher WELCOME10" }],
    }),
];

function declare(turn: ShownTurn, thing: string, commit: string) {
  const label = new RegExp(`${turn.ref(thing)} \\w+ "([^"]*)"`).exec(turn.page)?.[1] ?? "";
  return { name: "click", input: { ref: turn.ref(thing), label, commit } };
}

describe("a recipe", () => {
  const parts = new AsyncDisposableStack();
  let agent: TestAgent;
  let server: ModelServer;
  let site: ChangedSite;
  let shop: DemoShop;
  let body: RecipeBody;

  beforeAll(async () => {
    agent = parts.use(await startTestAgent());
    server = parts.use(await startModelServer());
    shop = parts.use(await startDemoShop());
    site = parts.use(await startChangedSite(shop.url));
    const planner = await play(server, ...ORDER);
    body = lessonOf(await agent.run({ prompt: PROMPT, startUrl: site.url, planner }));
  });
  afterAll(() => parts.disposeAsync());

  it("is learned from a verified run, with its values as variables and without anything of its pages", () => {
    expect(body.template).toMatch(
      /^Put <quantity> of the <item> into my cart, apply the voucher <\w+> and tell me the total\.$/,
    );
    expect(matchTemplate(body.template, body.variables, AGAIN)).toMatchObject({ quantity: "3", item: "Ossery Mug" });
    expect(body.writes.map((write) => write.replace(/ \S+?\//, " /"))).toEqual([
      "POST /cart/add",
      "POST /cart/voucher",
    ]);
    expect(JSON.stringify(body)).not.toMatch(/Brindle|Kettle|WELCOME10|€|\be\d+\b/);
  });

  it("is followed without a model, and reads the new values", async () => {
    const asked = server.requests.length;
    const { outcome, verdict } = await agent.run({ ...withRecipe(body, AGAIN), startUrl: site.url });
    expect(outcome, outcome.reason).toMatchObject({
      kind: "verified",
      recipe: { kind: "replayed" },
      lesson: null,
      result: { final_text: expect.stringContaining("€50.70") },
    });
    expect(verdict?.checks.map(({ about }) => about)).toContain("The run sent what the recipe sends");
    expect(server.requests).toHaveLength(asked);
  });

  it("names the step that cannot be followed, and sends nothing more", async () => {
    site.change = { html: (html) => html.replaceAll("Add to cart", "Add to basket") };
    const before = shop.requests().length;
    const { outcome } = await agent.run({ ...withRecipe(body, AGAIN), startUrl: site.url });
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: "goal_unreachable",
      reason: expect.stringMatching(/^The recipe could not be followed at step 4 \(.*Add to cart/),
      recipe: { kind: "failed", step: expect.stringContaining("Add to cart"), usesValue: false },
      sideEffects: [],
    });
    expect(
      shop
        .requests()
        .slice(before)
        .filter(({ method }) => method === "POST"),
    ).toEqual([]);
  });

  it("says that a value may be what is wrong", async () => {
    const prompt = AGAIN.replace("Ossery Mug", "Nonsense Mug");
    expect(prompt).not.toBe(AGAIN);
    const { outcome } = await agent.run({ ...withRecipe(body, prompt), startUrl: site.url });
    expect(outcome).toMatchObject({
      kind: "failed",
      recipe: { kind: "failed", step: expect.stringContaining("Nonsense Mug"), usesValue: true },
      sideEffects: [],
    });
  });

  it("is healed by a model from the page it is on, and then learned again", async () => {
    site.change = { html: (html) => html.replaceAll("Add to cart", "Add to basket") };
    const planner = await play(server, ...ORDER.slice(3));
    const { outcome } = await agent.run({ ...withRecipe(body, PROMPT), startUrl: site.url, planner });
    expect(outcome, outcome.reason).toMatchObject({
      kind: "verified",
      recipe: { kind: "healed", step: expect.stringContaining("Add to cart") },
      lesson: { kind: "learned" },
    });
    const next = outcome.lesson?.kind === "learned" ? outcome.lesson.body : body;
    expect(next.template).toBe(body.template);
    const { outcome: followed } = await agent.run({ ...withRecipe(next, AGAIN), startUrl: site.url });
    expect(followed, followed.reason).toMatchObject({ kind: "verified", recipe: { kind: "replayed" } });
  });

  it("whose steps were all done, but not verified, is healed after its last step", async () => {
    site.change = null;
    const planner = await play(server, ...ORDER.slice(-1));
    const recipe = { ...body, writes: [...body.writes, "POST /orders"] };
    const { outcome } = await agent.run({ ...withRecipe(recipe, PROMPT), startUrl: site.url, planner });
    expect(outcome.recipe).toEqual({ kind: "healed", step: null, reason: expect.stringContaining("POST /orders") });
    expect(outcome, outcome.reason).toMatchObject({ kind: "verified" });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("All steps were done, but this is not right yet.");
  });

  it("does not send what it has not sent before", async () => {
    // The form that applied the voucher now also empties the cart.
    site.change = { html: (html) => html.replaceAll('action="/cart/voucher"', 'action="/cart/voucher/remove"') };
    const { outcome } = await agent.run({ ...withRecipe(body, AGAIN), startUrl: site.url });
    expect(outcome).toMatchObject({ kind: "failed", recipe: { kind: "failed" } });
    expect(shop.requests().some(({ path }) => path === "/cart/voucher/remove")).toBe(false);
  });
});
