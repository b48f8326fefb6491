import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoShop, startDemoShop } from "../demo/shop.ts";
import type { RecipeBody } from "../src/recipes/recipe.ts";
import { matchTemplate } from "../src/recipes/template.ts";
import { startTestAgent, type TestAgent } from "./_harness/agent.ts";
import { call, done, type Line, play } from "./_harness/model-script.ts";
import { type ModelServer, startModelServer } from "./_harness/model-server.ts";

const PROMPT = "Put 2 of the Brindle Kettle into my cart, apply the voucher WELCOME10 and tell me the total.";

const ORDER: Line[] = [
  (turn) => turn.fill('searchbox "Search all products"', "Brindle Kettle", { submit: true }),
  (turn) => turn.click('link "Brindle Kettle"'),
  (turn) => turn.select('combobox "Quantity"', "2"),
  (turn) => withCommit(turn.click('button "Add to cart"'), "Add 2 Brindle Kettles to the cart."),
  (turn) => turn.fill('textbox "Voucher code"', "WELCOME10"),
  (turn) => withCommit(turn.click('button "Apply"'), "Apply the voucher WELCOME10."),
  (turn) => {
    const total = /^ *Total\n *(€[\d.,]+)$/m.exec(turn.page)?.[1] ?? "";
    return done(`The total is ${total}.`, {
      facts: [{ about: "total", value: total, quote: total }],
      proofs: [{ text: "Voucher WELCOME10" }],
    });
  },
];

function withCommit({ name, input }: ReturnType<typeof call>, commit: string) {
  return { name, input: { ...(input as object), commit } };
}

describe("a recipe", () => {
  const parts = new AsyncDisposableStack();
  let agent: TestAgent;
  let server: ModelServer;
  let shop: DemoShop;

  beforeAll(async () => {
    agent = parts.use(await startTestAgent());
    server = parts.use(await startModelServer());
    shop = parts.use(await startDemoShop());
  });
  afterAll(() => parts.disposeAsync());

  it("is learned from a verified run, and followed without a model with other values", async () => {
    const planner = await play(server, ...ORDER);
    const first = await agent.run({ prompt: PROMPT, startUrl: shop.url, planner, learns: true });
    expect(first.outcome, JSON.stringify(first.outcome)).toMatchObject({ kind: "verified" });
    const { lesson } = first.outcome;
    console.log(JSON.stringify(lesson, null, 1));
    const body = (lesson as { body: RecipeBody }).body;
    const prompt = "Put 3 of the Ossery Mug into my cart, apply the voucher WELCOME10 and tell me the total.";
    const values = matchTemplate(body.template, body.variables, prompt);
    console.log(values);
    const second = await agent.run({
      prompt,
      startUrl: shop.url,
      recipe: { id: "r", version: 1, body, values: values ?? {} },
    });
    console.log(JSON.stringify(second.outcome, null, 1), second.verdict);
  });
});
