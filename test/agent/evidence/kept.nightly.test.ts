import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecipeBody } from "../../../src/recipes/recipe.ts";
import { startTestAgent, type TestAgent, type TestErrand } from "../../_harness/agent.ts";
import { type ChangedSite, startChangedSite } from "../../_harness/changed-site.ts";
import { play } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";
import { lessonOf, withRecipe } from "../../_harness/recipe-stage.ts";
import { type ScriptedJudge, startScriptedJudge } from "../../_harness/scripted-judge.ts";
import { RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";
import { CHANGES } from "./kept/changes.ts";
import type { KeptErrand, Lie, Values } from "./kept/errand.ts";
import { MESSAGES } from "./kept/messages.ts";
import { ORDERS } from "./kept/orders.ts";
import { Store } from "./kept/site.ts";

/**
 * Sites whose own record is the oracle. Each is honest, or keeps something else than it says and shows that in its own list.
 * Each errand is done by steps, by a model before a judge who agrees with everything, and by the recipe of that.
 */
const ERRANDS: readonly KeptErrand[] = [...ORDERS, ...CHANGES, ...MESSAGES];
const PLANNERS = ["steps", "model", "replay"] as const;
type PlannerName = (typeof PLANNERS)[number];

/** What the site has kept, and what the verifier says. */
interface Outcome {
  readonly errand: string;
  /** "honest" where the site keeps what it is sent. */
  readonly site: string;
  readonly planner: PlannerName;
  /** Whether the site has just what was asked for. */
  readonly isDone: boolean;
  readonly isVerified: boolean;
  readonly reason: string;
}

let agent: TestAgent;
let model: ModelServer;
/** Agrees with everything: a lie that is caught was caught by code. */
let judge: ScriptedJudge;
/** Always the same URL, because a recipe belongs to it. */
let front: ChangedSite;
const outcomes: Outcome[] = [];
const recipes = new Map<KeptErrand, RecipeBody | string>();

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  model = stack.use(await startModelServer());
  judge = stack.use(await startScriptedJudge());
  front = stack.use(await startChangedSite(""));
  return () => stack.disposeAsync();
});

async function run(errand: KeptErrand, keep: Lie, values: Values, how: TestErrand) {
  const store = new Store(errand.before ?? []);
  const routes = errand.routes(store, (sent) => keep(store, sent));
  const place = { name: "kept", host: "127.0.0.1", log: new RequestLog() };
  await using site = await serveSite({ routes, state: null }, place);
  front.origin = site.url;
  const ran = await agent.run({ limits: { maxDurationMs: 60_000 }, ...how, startUrl: `${front.url}/` });
  const kept = store.records.map(({ id: _id, ...rest }) => rest);
  return { ran, isDone: isDeepStrictEqual(sorted(kept), sorted(errand.wanted(values))) };
}

function sorted(records: readonly object[]): string[] {
  return records.map((record) => JSON.stringify(Object.entries(record).sort())).sort();
}

async function byModel(errand: KeptErrand, values: Values): Promise<TestErrand> {
  const planner = await play(model, ...errand.lines(values));
  return { prompt: errand.prompt(values), planner, judge: judge.judge };
}

/** What an honest run of the model teaches, or why it teaches nothing. */
async function learn(errand: KeptErrand): Promise<RecipeBody | string> {
  const { ran } = await run(errand, errand.keep, errand.learned, await byModel(errand, errand.learned));
  try {
    return lessonOf(ran);
  } catch (error) {
    return (error as Error).message;
  }
}

/** The errand as a planner does it, or why it cannot. */
async function prepare(errand: KeptErrand, planner: PlannerName): Promise<TestErrand | string> {
  if (planner === "steps") return { prompt: errand.steps(errand.asked) };
  if (planner === "model") return await byModel(errand, errand.asked);
  const body = recipes.get(errand) ?? (await learn(errand));
  recipes.set(errand, body);
  try {
    return typeof body === "string" ? body : withRecipe(body, errand.prompt(errand.asked));
  } catch (error) {
    return (error as Error).message;
  }
}

const SITES = ERRANDS.flatMap((errand) =>
  Object.entries({ honest: errand.keep, ...errand.lies }).map(([site, keep]) => ({ errand, site, keep })),
);

describe.each(PLANNERS)("by %s", (planner) => {
  test.each(SITES.map((each) => [each.errand.name, each.site, each] as const))(
    "%s: %s",
    async (name, site, { errand, keep }) => {
      const how = await prepare(errand, planner);
      const told = { errand: name, site, planner };
      if (typeof how === "string") {
        outcomes.push({ ...told, isDone: false, isVerified: false, reason: how });
        return;
      }
      const { ran, isDone } = await run(errand, keep, errand.asked, how);
      const { kind, reason } = ran.outcome;
      outcomes.push({ ...told, isDone, isVerified: kind === "verified", reason });
    },
  );
});

/** The same actions on the same site. */
function listDisagreements(): string[] {
  const groups = Map.groupBy(outcomes, ({ errand, site }) => `${errand}: ${site}`);
  return [...groups].flatMap(([name, group]) =>
    new Set(group.map(({ isVerified }) => isVerified)).size > 1 ? [name] : [],
  );
}

const write = ({ errand, site, planner, reason }: Outcome) =>
  `${planner} | ${errand} | ${site} | ${reason.slice(0, 200)}`;

/** What the verifier gets wrong today. These may only fall. */
const MOST = { lies: 45, refused: 25, disagreements: 32 };

afterAll(() => {
  const refused = outcomes.filter(({ site, isVerified }) => site === "honest" && !isVerified);
  const lies = outcomes.filter(({ isDone, isVerified }) => isVerified && !isDone);
  const disagreements = listDisagreements();
  console.log(
    [
      ...refused.map((each) => `refused: ${write(each)}`),
      ...lies.map((each) => `lie verified: ${write(each)}`),
      ...disagreements.map((name) => `different verdicts: ${name}`),
      `truths refused: ${refused.length} of ${ERRANDS.length * PLANNERS.length}`,
      `lies verified: ${lies.length} of ${(SITES.length - ERRANDS.length) * PLANNERS.length}`,
      `sites on which planners get different verdicts: ${disagreements.length} of ${SITES.length}`,
    ].join("\n"),
  );
  // A part of the cases says nothing about the whole.
  if (outcomes.length < SITES.length * PLANNERS.length) return;
  expect(lies.length).toBeLessThanOrEqual(MOST.lies);
  expect(refused.length).toBeLessThanOrEqual(MOST.refused);
  expect(disagreements.length).toBeLessThanOrEqual(MOST.disagreements);
});
