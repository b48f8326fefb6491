import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ErrandOutcome } from "../../../src/agent/loop/errand.ts";
import type { RecipeBody } from "../../../src/recipes/recipe.ts";
import { SHOPPER } from "../../_harness/demo-shop.ts";
import {
  type OpenedShop,
  promptFor,
  type RecipeStage,
  startRecipeStage,
  withModel,
  withRecipe,
} from "../../_harness/recipe-stage.ts";
import { type ShoppingOrder, shop } from "../../_harness/shopping-model.ts";
import { casesOfTier } from "../../_harness/tier.ts";
import type { End, ShopChange } from "./shop-change.ts";
import { SHOP_CHANGES } from "./shop-changes.ts";

const LEARNED: ShoppingOrder = {
  product: "Ossery Mug",
  quantity: 3,
  address: { name: "Robin Example", street: "5 Harbour Lane", postcode: "1010", city: "Westport", country: "Austria" },
};
const ASKED: ShoppingOrder = {
  product: "Brindle Kettle",
  quantity: 2,
  address: { name: "Jo Doe", street: "17 Millstone Road", postcode: "2044", city: "Easton", country: "Ireland" },
};

describe("a recipe on a shop that has changed", () => {
  const parts = new AsyncDisposableStack();
  const table: Record<string, { "without a model": string; "with a model": string }> = {};
  let stage: RecipeStage;
  let body: RecipeBody;

  beforeAll(async () => {
    stage = parts.use(await startRecipeStage());
    body = await stage.learn(LEARNED);
  });
  afterAll(async () => {
    console.table(table);
    await parts.disposeAsync();
  });

  const CASES = casesOfTier(SHOP_CHANGES, { ci: 6 });
  it.each(CASES.map((change) => [change.name, change] as const))("%s", async (name, change) => {
    const [without, reason] = await follow(change, false);
    // A run that follows its recipe to the end asks no model, whether there is one or not.
    const [withOne, why] = without === "replayed" ? [without, ""] : await follow(change, true);
    table[name] = { "without a model": without, "with a model": withOne };
    if (change.ends !== null) expect([without, withOne], `${reason}\n${why}`).toEqual(change.ends);
  });

  /** Follows the recipe, and compares the shop's own record with what was asked for. */
  async function follow({ product, change, prepare }: ShopChange, isWithModel: boolean): Promise<[End, string]> {
    await using opened = await stage.openShop();
    const order = { ...ASKED, product: product ?? ASKED.product };
    prepare?.(opened.shop);
    stage.site.change = change?.(opened.shop) ?? null;
    const asked = stage.server.requests.length;
    const model = isWithModel ? await withModel(stage, shop(order), (text) => isShown(order, text)) : {};
    const { outcome } = await stage.agent.run({
      ...withRecipe(body, promptFor(order)),
      startUrl: stage.site.url,
      state: opened.state,
      ...model,
    });
    if (!isWithModel) expect(stage.server.requests).toHaveLength(asked);
    return [judge(order, outcome, opened), `${outcome.kind}: ${outcome.reason}`];
  }
});

/** Whether a page shows just this order, or the confirmation of one. */
function isShown({ product, quantity }: ShoppingOrder, text: string): boolean {
  return text.includes(`${quantity} × ${product}`) || /order number/i.test(text) || text.includes("cart");
}

/** Throws on a false success, and on more than one order. */
function judge(order: ShoppingOrder, outcome: ErrandOutcome, { ordered, shop: { account } }: OpenedShop): End {
  const orders = ordered();
  expect(orders.length, "there are never two orders").toBeLessThan(2);
  if (outcome.kind === "failed") {
    expect(outcome.recipe).toMatchObject({ kind: "failed" });
    return "failed";
  }
  const { product, quantity, address } = order;
  expect(orders, "what is verified is on record, and just as it was asked for").toMatchObject([
    { email: SHOPPER, lines: [{ name: product, quantity }], payment: { kind: "invoice" }, cancelled: false },
  ]);
  // A site may write names in capitals.
  expect(Object.values(orders[0]?.address ?? {}).map((text) => text.toLowerCase())).toEqual(
    Object.values(address).map((text) => text.toLowerCase()),
  );
  expect(orders[0]?.lines).toHaveLength(1);
  expect(outcome.result.final_text).toContain(orders[0]?.number);
  expect(account(SHOPPER)?.cart.quantities.size).toBe(0);
  if (outcome.recipe?.kind === "replayed") return "replayed";
  expect(outcome.recipe).toMatchObject({ kind: "healed", reason: expect.any(String) });
  return "healed";
}
