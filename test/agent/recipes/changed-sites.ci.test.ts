import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecipeBody } from "../../../src/recipes/recipe.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type ChangedSite, type SiteChange, startChangedSite } from "../../_harness/changed-site.ts";
import { play } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";
import { lessonOf, withRecipe } from "../../_harness/recipe-stage.ts";
import { casesOfTier } from "../../_harness/tier.ts";
import { RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";
import type { End } from "./shop-change.ts";
import { SITE_ERRANDS, type SiteErrand } from "./site-changes.ts";

describe("a recipe on a site that has changed", () => {
  const parts = new AsyncDisposableStack();
  const table: Record<string, { "without a model": string; "with a model": string }> = {};
  const recipes = new Map<SiteErrand, RecipeBody>();
  let agent: TestAgent;
  let server: ModelServer;
  let proxy: ChangedSite;

  beforeAll(async () => {
    agent = parts.use(await startTestAgent());
    server = parts.use(await startModelServer());
    proxy = parts.use(await startChangedSite(""));
  });
  afterAll(async () => {
    console.table(table);
    await parts.disposeAsync();
  });

  const CASES = SITE_ERRANDS.flatMap((errand) =>
    errand.changes.map(([name, change, ends]) => [`${errand.name}: ${name}`, errand, change, ends] as const),
  );

  it.each(casesOfTier(CASES, { ci: 5 }))("%s", async (name, errand, change, ends) => {
    const body = recipes.get(errand) ?? (await learn(errand));
    recipes.set(errand, body);
    const [without, reason] = await follow(errand, body, change, false);
    const [withOne, why] = await follow(errand, body, change, true);
    table[name] = { "without a model": without, "with a model": withOne };
    expect([without, withOne], `${reason}\n${why}`).toEqual(ends);
  });

  /** A new server behind the same URL. */
  async function open({ create }: SiteErrand, change: SiteChange | null) {
    const site = await serveSite(create(), { name: "site", host: "127.0.0.1", log: new RequestLog() });
    proxy.origin = site.url;
    proxy.change = change;
    return site;
  }

  async function learn(errand: SiteErrand): Promise<RecipeBody> {
    await using _site = await open(errand, null);
    const planner = await play(server, errand.model(errand.learned));
    const startUrl = proxy.url + errand.path;
    return lessonOf(await agent.run({ prompt: errand.learned, startUrl, planner }));
  }

  async function follow(
    errand: SiteErrand,
    body: RecipeBody,
    change: SiteChange,
    isWithModel: boolean,
  ): Promise<[End, string]> {
    await using site = await open(errand, change);
    const model = isWithModel ? { planner: await play(server, errand.model(errand.asked)) } : {};
    const startUrl = proxy.url + errand.path;
    const { outcome } = await agent.run({ ...withRecipe(body, errand.asked), startUrl, ...model });
    const said = `${outcome.kind}: ${outcome.reason}`;
    if (outcome.kind === "failed") return ["failed", said];
    expect(errand.isDone(site.state), `what is verified is on record: ${said}`).toBe(true);
    return [outcome.recipe?.kind === "replayed" ? "replayed" : "healed", said];
  }
});
