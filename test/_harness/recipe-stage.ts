import { DEMO_PASSWORD } from "../../demo/people/demo-accounts.ts";
import { type DemoShop, startDemoShop } from "../../demo/shop.ts";
import type { Order } from "../../demo/trade/orders.ts";
import type { BrowserState } from "../../src/browser/state/browser-state.ts";
import type { RecipeBody } from "../../src/recipes/recipe.ts";
import { matchTemplate } from "../../src/recipes/template.ts";
import { startTestAgent, type TestAgent, type TestErrand, type TestRun } from "./agent.ts";
import { type ChangedSite, startChangedSite } from "./changed-site.ts";
import { ordersOf, SHOPPER, ShopClock } from "./demo-shop.ts";
import { type Line, play } from "./model-script.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { agreeingWithEverything, type ScriptedJudge, startScriptedJudge } from "./scripted-judge.ts";
import { type ShoppingOrder, shop as shopFor } from "./shopping-model.ts";

/** The demo shop behind a proxy, a model that shops, and an honest judge. */
export interface RecipeStage extends AsyncDisposable {
  readonly agent: TestAgent;
  readonly site: ChangedSite;
  readonly server: ModelServer;
  readonly judge: ScriptedJudge;
  /** Opens a new shop behind the same URL, as it is without changes. */
  openShop(): Promise<OpenedShop>;
  /** A verified run with a model that shops. Throws if it teaches nothing. */
  learn(order: ShoppingOrder): Promise<RecipeBody>;
}

export interface OpenedShop extends AsyncDisposable {
  readonly shop: DemoShop;
  readonly state: BrowserState;
  /** What was ordered since it was opened. */
  ordered(): Order[];
}

export async function startRecipeStage(): Promise<RecipeStage> {
  await using parts = new AsyncDisposableStack();
  const agent = parts.use(await startTestAgent());
  const site = parts.use(await startChangedSite(""));
  const server = parts.use(await startModelServer());
  const judge = parts.use(await startScriptedJudge());
  const openShop = async (): Promise<OpenedShop> => {
    const shop = await startDemoShop({ clock: new ShopClock() });
    site.origin = shop.url;
    site.change = null;
    const before = new Set(ordersOf(shop).map(({ number }) => number));
    return {
      shop,
      state: await signIn(site.url, SHOPPER),
      ordered: () => ordersOf(shop).filter(({ number }) => !before.has(number)),
      [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
    };
  };
  const running = parts.move();
  return {
    agent,
    site,
    server,
    judge,
    openShop,
    async learn(order) {
      await using opened = await openShop();
      const planner = await play(server, shopFor(order));
      const errand = { prompt: promptFor(order), startUrl: site.url, state: opened.state, planner };
      return lessonOf(await agent.run(errand));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** What a verified run has taught. */
export function lessonOf({ outcome }: TestRun): RecipeBody {
  if (outcome.lesson?.kind === "learned") return outcome.lesson.body;
  throw new Error(`nothing was learned: ${outcome.lesson?.reason ?? outcome.reason}`);
}

export function promptFor({ product, quantity, address }: ShoppingOrder): string {
  const { name, street, postcode, city, country } = address;
  const where = `${name}, ${street}, ${postcode} ${city}, ${country}`;
  return `Order ${quantity} of the ${product} on invoice, to another address: ${where}. Tell me the order number.`;
}

/** An errand that follows the recipe. Throws if the prompt does not match it. */
export function withRecipe(body: RecipeBody, prompt: string): Pick<TestErrand, "prompt" | "recipe"> {
  const values = matchTemplate(body.template, body.variables, prompt);
  if (values === null) throw new Error(`"${prompt}" does not match "${body.template}"`);
  return { prompt, recipe: { id: "recipe", version: 1, body, values } };
}

/** The planner of a model that says these lines, and a judge who is asked as well. */
export async function withModel(
  { server, judge }: RecipeStage,
  line: Line,
  isRight: (text: string) => boolean,
): Promise<Pick<TestErrand, "planner" | "judge">> {
  // An honest judge: it agrees only to what it sees.
  judge.decide = ({ text }) => ({ agreed: isRight(text), reason: "It compares the page with the task." });
  judge.script = (shown) => {
    const agreed = agreeingWithEverything(shown);
    if (isRight([...shown.evidence.values()].join("\n"))) return agreed;
    return { ...agreed, criteria: agreed.criteria.map((each) => ({ ...each, verdict: "unknown" })) };
  };
  return { planner: await play(server, line), judge: judge.judge };
}

/** Signs in without a browser. */
export async function signIn(url: string, email: string): Promise<BrowserState> {
  // The server closes connections that nobody uses, perhaps at the moment when one is used again.
  const connection = "close";
  const page = await fetch(`${url}/sign-in`, { headers: { connection } });
  const cookie = (page.headers.getSetCookie()[0] ?? "").split(";", 1)[0] ?? "";
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const response = await fetch(`${url}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { connection, cookie },
    body: new URLSearchParams({ csrf, email, password: DEMO_PASSWORD }),
  });
  const renewed = (response.headers.getSetCookie()[0] ?? cookie).split(";", 1)[0] ?? "";
  const [name = "", value = ""] = renewed.split("=");
  const { hostname } = new URL(url);
  return {
    storage: {
      cookies: [
        { name, value, domain: hostname, path: "/", expires: -1, httpOnly: true, secure: false, sameSite: "Lax" },
      ],
      origins: [],
    },
    sessionStorage: [],
  };
}
