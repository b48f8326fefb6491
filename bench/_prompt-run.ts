import type { Page } from "playwright-core";
import type { ActionCall, ActionReport } from "../src/agent/actions/action.ts";
import { createModelPlanner } from "../src/agent/planner/model/model-planner.ts";
import type { Plan } from "../src/agent/planner/planner.ts";
import type { Observation } from "../src/browser/observation/observation.ts";
import { diffLines, toLines } from "../src/browser/observation/observation-text.ts";
import { createPageObserver } from "../src/browser/observation/page-observer.ts";
import { renderObservation } from "../src/browser/observation/rendering/render-observation.ts";
import { estimateTokens } from "../src/lib/estimate-tokens.ts";
import type { Model, ModelRequest, ToolCall } from "../src/models/model.ts";
import { CostMeter } from "../src/models/usage.ts";
import type { Walk } from "./_prompt-walks.ts";

/** Tokens of the question of one turn. */
export interface TurnSize {
  /** As it is asked. */
  readonly ours: number;
  /** The same question with Playwright's snapshot of the page in place of ours. */
  readonly withSnapshot: number;
  /** A conversation that keeps every snapshot, without any history or notebook of ours. */
  readonly conversation: number;
  /** Of these, the page alone. */
  readonly page: number;
  readonly snapshot: number;
  /** Of ours: rules, task and tools, which a provider may keep. */
  readonly lasting: number;
}

/** Walks through so many turns in a real browser. The planner is the real one; the model is a script. */
export async function measureWalk(walk: Walk, page: Page, shopUrl: string, turns: number): Promise<TurnSize[]> {
  await walk.open(page, shopUrl);
  const observer = createPageObserver(page);
  const { signal } = new AbortController();
  const script = new ScriptedModel();
  const task = { prompt: walk.prompt, startUrl: shopUrl, outputSchema: null, now: new Date() };
  const meter = new CostMeter(Number.MAX_SAFE_INTEGER);
  const plan = await createModelPlanner(script).plan(task, {
    criteria: [],
    meter,
    findOutputProblems: async () => [],
    signal,
  });
  const sizes: TurnSize[] = [];
  let last: { readonly call: ActionCall; readonly before: Observation } | null = null;
  let kept = 0;
  for (let turn = 1; turn <= turns; turn++) {
    // Before our own look: a snapshot makes the refs of the look before it stale.
    const snapshot = estimateTokens(await page.ariaSnapshot({ mode: "ai" }));
    const observation = {
      ...(await observer.observe(AbortSignal.timeout(60_000))),
      number: turn,
      tabs: [],
      dialog: null,
    };
    const reports: ActionReport[] = last === null ? [] : [reportOn(last.call, last.before, observation)];
    script.next = walk.decide({ page: renderObservation(observation), url: observation.url, turn });
    const call = await decide(plan, observation, reports, signal);
    const { ours, lasting } = sizeOf(script.asked);
    const told = estimateTokens(renderObservation(observation));
    kept += snapshot + estimateTokens(JSON.stringify(script.next));
    sizes.push({
      ours,
      lasting,
      page: told,
      snapshot,
      withSnapshot: ours - told + snapshot,
      conversation: lasting + kept,
    });
    await perform(call, page);
    last = { call, before: observation };
  }
  return sizes;
}

class ScriptedModel implements Model {
  readonly name = "script";
  readonly seesImages = false;
  next: ToolCall = { tool: "read", input: {} };
  asked: ModelRequest | null = null;

  async ask(request: ModelRequest) {
    this.asked = request;
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

function sizeOf(question: ModelRequest | null): Pick<TurnSize, "ours" | "lasting"> {
  if (question === null) throw new Error("The model was not asked.");
  const { system, stablePrompt: told, tools, parts } = question;
  const lasting = [system, told, JSON.stringify(tools)].reduce((sum, text) => sum + estimateTokens(text), 0);
  const fresh = parts.reduce((sum, part) => sum + (part.kind === "text" ? estimateTokens(part.text) : 0), 0);
  return { lasting, ours: lasting + fresh };
}

async function perform({ action, input }: ActionCall, page: Page): Promise<void> {
  if (action === "scroll") await page.mouse.wheel(0, 640);
  else await page.getByRef(String(input["ref"])).click();
  await page.waitForLoadState("load");
}

/** As much of a report as the next question tells. */
function reportOn(call: ActionCall, before: Observation, after: Observation): ActionReport {
  const { added, removed } = diffLines(toLines(before.root), toLines(after.root));
  const events = { requests: [], downloads: [], dialogs: [], openedTabs: [], refusedHosts: [] };
  return { call, failure: null, data: null, urlBefore: before.url, urlAfter: after.url, added, removed, events };
}
