import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { featuredProducts, PRODUCTS } from "../../../demo/catalogue/products.ts";
import { SHOPPER } from "../../_harness/demo-shop.ts";
import { createRandom } from "../../_harness/random.ts";
import { promptFor, type RecipeStage, startRecipeStage, withRecipe } from "../../_harness/recipe-stage.ts";
import type { ShoppingOrder } from "../../_harness/shopping-model.ts";
import { amountOfTier } from "../../_harness/tier.ts";

/** For example: ERRAND_TEST_REPLAYS=1000 npm test -- recipes-many */
const REPLAYS = Number(process.env["ERRAND_TEST_REPLAYS"] ?? amountOfTier({ ci: 3, nightly: 25 }));
const SEED = Number(process.env["ERRAND_TEST_SEED"] ?? Date.now() % 1_000_000);

const FIRST = ["Robin", "Jo", "Sam", "Ines", "Zoë", "Łukasz", "Björk", "Mary Ann"];
const LAST = ["Example", "Doe", "O'Hara", "Grün", "van Dyk", "Smith-Jones"];
const STREETS = ["Harbour Lane", "Millstone Road", "Rue Basse", "Am Ring", "Kirkegata"];
const TOWNS = ["Westport", "Easton", "Bad Aussee", "Saint-Malo", "Århus"];
const COUNTRIES = ["Austria", "Ireland", "Germany", "Spain"];

describe("many replays", () => {
  const parts = new AsyncDisposableStack();
  const random = createRandom(SEED);
  let stage: RecipeStage;

  beforeAll(async () => {
    stage = parts.use(await startRecipeStage());
  });
  afterAll(() => parts.disposeAsync());

  const AVAILABLE = PRODUCTS.filter(({ initialStock }) => initialStock >= 10);
  /** Who orders what is on the first page does not search for it, and the recipe would have no search. */
  const SEARCHED = AVAILABLE.filter((product) => !featuredProducts().includes(product));

  function draw(products = AVAILABLE): ShoppingOrder {
    const { name } = random.pick(products);
    const address = {
      name: `${random.pick(FIRST)} ${random.pick(LAST)}`,
      street: `${random.int(1, 250)} ${random.pick(STREETS)}`,
      postcode: String(random.int(1_000, 99_999)),
      city: random.pick(TOWNS),
      country: random.pick(COUNTRIES),
    };
    return { product: name, quantity: random.int(1, 10), address };
  }

  it(
    `order just what was asked for, ${REPLAYS} times`,
    async () => {
      console.log(`seed ${SEED}`);
      const body = await stage.learn({ ...draw(SEARCHED), quantity: random.int(2, 9) });
      const asked = stage.server.requests.length;
      for (let count = 1; count <= REPLAYS; count++) {
        const order = draw();
        await using opened = await stage.openShop();
        const { outcome } = await stage.agent.run({
          ...withRecipe(body, promptFor(order)),
          startUrl: stage.site.url,
          state: opened.state,
        });
        const said = `replay ${count} of seed ${SEED}: ${promptFor(order)}\n${outcome.reason}`;
        expect(outcome, said).toMatchObject({ kind: "verified", recipe: { kind: "replayed" } });
        const { product, quantity, address } = order;
        const orders = opened.ordered();
        expect(orders, said).toMatchObject([{ email: SHOPPER, lines: [{ name: product, quantity }], address }]);
        expect(orders[0]?.lines, said).toHaveLength(1);
        expect(outcome.kind === "verified" && outcome.result.final_text, said).toContain(orders[0]?.number);
        if (count % 100 === 0) console.log(`${count} of ${REPLAYS}`);
      }
      expect(stage.server.requests).toHaveLength(asked);
    },
    Math.max(180_000, REPLAYS * 20_000),
  );
});
