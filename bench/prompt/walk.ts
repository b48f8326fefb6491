import type { Page } from "playwright-core";
import type { ActionCall, ActionReport } from "../../src/agent/actions/action.ts";
import { createModelPlanner } from "../../src/agent/planner/model/model-planner.ts";
import type { Plan } from "../../src/agent/planner/planner.ts";
import type { Observation } from "../../src/browser/observation/observation.ts";
import { diffLines, toLines } from "../../src/browser/observation/observation-text.ts";
import { createPageObserver, type PageObserver } from "../../src/browser/observation/page-observer.ts";
import { renderObservation } from "../../src/browser/observation/rendering/render-observation.ts";
import { estimateTokens } from "../../src/lib/estimate-tokens.ts";
import type { Model, ModelRequest, ToolCall } from "../../src/models/model.ts";
import { CostMeter } from "../../src/models/usage.ts";
import { writeTablePage } from "../harness/table-page.ts";

/** Tokens of the request of one turn. */
export interface TurnSize {
  /** As sent. */
  readonly request: number;
  /** The same request with Playwright's snapshot of the page instead of our observation. */
  readonly withSnapshot: number;
  /** A conversation that keeps every snapshot, without our history and notebook. */
  readonly conversation: number;
  /** The page alone, as our observation. */
  readonly page: number;
  /** The page alone, as Playwright's snapshot. */
  readonly snapshot: number;
  /** The part of the request that never changes and can be cached: rules, task and tools. */
  readonly stable: number;
}

/** Runs the turns of a walk in a real browser. The planner is the real one; the model is scripted. */
export async function measureWalk(walk: Walk, page: Page, shopUrl: string, turns: number): Promise<TurnSize[]> {
  await walk.open(page, shopUrl);
  const observer = createPageObserver(page);
  const { signal } = new AbortController();
  const script = new ScriptedModel();
  const task = { prompt: walk.prompt, startUrl: shopUrl, outputSchema: null, now: new Date() };
  const meter = new CostMeter(Number.MAX_SAFE_INTEGER);
  const plan = await createModelPlanner(script).plan(task, {
    meter,
    findOutputProblems: async () => [],
    signal,
  });
  const sizes: TurnSize[] = [];
  let last: { readonly call: ActionCall; readonly before: Observation } | null = null;
  let kept = 0;
  for (let turn = 1; turn <= turns; turn++) {
    const snapshot = estimateTokens(await page.ariaSnapshot({ mode: "ai" }));
    const observation = {
      ...(await observer.observe(AbortSignal.timeout(60_000))),
      number: turn,
      tabs: [],
      dialog: null,
    };
    const reports: ActionReport[] = last === null ? [] : [toReport(last.call, last.before, observation)];
    script.next = walk.decide({ page: renderObservation(observation), url: observation.url, turn });
    const call = await decide(plan, observation, reports, signal);
    const { request, stable } = measureRequest(script.request);
    const observed = estimateTokens(renderObservation(observation));
    kept += snapshot + estimateTokens(JSON.stringify(script.next));
    sizes.push({
      request,
      stable,
      page: observed,
      snapshot,
      withSnapshot: request - observed + snapshot,
      conversation: stable + kept,
    });
    await perform(call, page, observer);
    last = { call, before: observation };
  }
  return sizes;
}

class ScriptedModel implements Model {
  readonly name = "script";
  readonly seesImages = false;
  next: ToolCall = { tool: "read", input: {} };
  request: ModelRequest | null = null;

  async ask(request: ModelRequest) {
    this.request = request;
    const usage = {
      model: "script",
      inputTokens: 0,
      cachedInputTokens: 0,
      outputTokens: 0,
      durationMs: 0,
      requests: 1,
    };
    return { calls: [this.next], text: "", usage };
  }
}

async function decide(
  plan: Plan,
  observation: Observation,
  reports: readonly ActionReport[],
  signal: AbortSignal,
): Promise<ActionCall> {
  const decision = await plan.next({
    observation,
    reports,
    stepsLeft: 1_000,
    spent: 0,
    takeScreenshot: async () => null,
    signal,
  });
  const call = decision.kind === "act" ? decision.calls[0] : undefined;
  if (call === undefined) throw new Error(`The planner did not act: ${JSON.stringify(decision)}`);
  return call;
}

function measureRequest(request: ModelRequest | null): Pick<TurnSize, "request" | "stable"> {
  if (request === null) throw new Error("The planner sent no request to the model.");
  const { system, stablePrompt, tools, parts } = request;
  const stable = [
    system,
    stablePrompt,
    JSON.stringify(tools.map(({ name, description, input }) => ({ name, description, input }))),
  ].reduce((sum, text) => sum + estimateTokens(text), 0);
  const fresh = parts.reduce((sum, part) => sum + (part.kind === "text" ? estimateTokens(part.text) : 0), 0);
  return { stable, request: stable + fresh };
}

async function perform({ action, input }: ActionCall, page: Page, observer: PageObserver): Promise<void> {
  if (action === "scroll") await page.mouse.wheel(0, 640);
  else {
    const { handle } = await observer.pin(String(input["ref"]));
    await (await handle.toHandle()).click();
  }
  await page.waitForLoadState("load");
}

/** As much of a report as the next request contains. */
function toReport(call: ActionCall, before: Observation, after: Observation): ActionReport {
  const { added, removed } = diffLines(toLines(before.root), toLines(after.root));
  const events = { requests: [], downloads: [], dialogs: [], openedTabs: [], refusedHosts: [] };
  const changes = { urlBefore: before.url, urlAfter: after.url, added, removed, events };
  return { call, place: null, heldBack: null, failure: null, data: null, ...changes, unanswered: null };
}

/** What the scripted model knows in a turn: the page as text, and its URL. */
interface WalkTurn {
  readonly page: string;
  readonly url: string;
  readonly turn: number;
}

/** A long errand: where it starts, its prompt, and what happens in each turn. */
interface Walk {
  readonly name: string;
  readonly prompt: string;
  open(page: Page, shopUrl: string): Promise<void>;
  decide(turn: WalkTurn): ToolCall;
}

/** Adds products to the cart one by one, from all pages of the catalogue. */
export const SHOP_WALK: Walk = {
  name: "demo shop",
  prompt: "Put one of each product of the catalogue into the cart, page by page, and tell me the total.",
  async open(page, shopUrl) {
    await page.goto(shopUrl);
  },
  decide({ page, url, turn }) {
    const { pathname } = new URL(url);
    if (pathname === "/") return click(page, /((?:f\d+)?e\d+) (link "all products")/);
    if (pathname === "/cart") return click(page, /((?:f\d+)?e\d+) (link "Tindlemere")/);
    if (pathname === "/products") return click(page, /((?:f\d+)?e\d+) (link "[^"]+") → \/products\/[a-z-]+/g, turn);
    return click(page, /((?:f\d+)?e\d+) (button "Add to cart")/, 0, /((?:f\d+)?e\d+) (link "Tindlemere")/);
  },
};

/** Ticks the boxes of a large table one by one. */
export const TABLE_WALK: Walk = {
  name: "table of 1,000 rows",
  prompt: "Choose every order of customer-1@example.com to customer-60@example.com and refund them.",
  async open(page) {
    await page.setContent(writeTablePage(1000));
  },
  decide({ page, turn }) {
    if (turn % 10 === 0) return { tool: "scroll", input: { direction: "down" } };
    return click(page, /((?:f\d+)?e\d+) (checkbox "Choose \d+") \[unchecked\]/);
  },
};

function click(page: string, target: RegExp, index = 0, otherwise?: RegExp): ToolCall {
  const all = [...page.matchAll(new RegExp(target.source, "g"))];
  const [, ref, description] = all[index % Math.max(all.length, 1)] ?? [];
  if (ref !== undefined && description !== undefined) {
    return { tool: "click", input: { ref, label: /"([^"]*)"/.exec(description)?.[1] ?? "" } };
  }
  if (otherwise !== undefined) return click(page, otherwise);
  throw new Error(`The observation does not contain ${target.source}:\n${page.slice(0, 2_000)}`);
}
