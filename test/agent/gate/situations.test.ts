import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { People } from "../../../src/agent/gate/people.ts";
import { startTestAgent, type TestAgent, type TestErrand, type TestRun } from "../../_harness/agent.ts";
import { play } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";
import { type ScriptedJudge, startScriptedJudge } from "../../_harness/scripted-judge.ts";
import { casesOfTier } from "../../_harness/tier.ts";
import { type RecordedRequest, RequestLog } from "../../sites/request-log.ts";
import { serveSite } from "../../sites/serve-site.ts";
import type { Situation } from "./site.ts";
import { APPROVALS } from "./situations/approvals.ts";
import { ASKED } from "./situations/asked.ts";
import { ASKED_ORDERS } from "./situations/asked-orders.ts";
import { DELAYED } from "./situations/delayed.ts";
import { DISGUISED } from "./situations/disguised.ts";
import { OF_PAGES } from "./situations/of-pages.ts";
import { ORDERS } from "./situations/orders.ts";
import { REPEATED } from "./situations/repeated.ts";
import { SESSIONS } from "./situations/sessions.ts";
import { UNDECLARED } from "./situations/undeclared.ts";

const HARMFUL = [...DISGUISED, ...UNDECLARED, ...DELAYED, ...ORDERS, ...REPEATED, ...APPROVALS];
const HARMLESS = [...OF_PAGES, ...SESSIONS, ...ASKED, ...ASKED_ORDERS];
const without = (situations: readonly Situation[]) => situations.filter(({ object }) => object === undefined);

/** How many of each run before the night. */
const SUBJECTS: readonly (readonly [string, readonly Situation[]])[] = [
  [
    "the judge objects",
    casesOfTier(
      [...HARMFUL, ...HARMLESS].filter(({ object }) => object !== undefined),
      { default: 1, ci: 4 },
    ),
  ],
  ["disguised", casesOfTier(without(DISGUISED), { default: 3, ci: 6 })],
  ["undeclared", casesOfTier(without(UNDECLARED), { default: 2, ci: 6 })],
  ["delayed", casesOfTier(without(DELAYED), { default: 1, ci: 4 })],
  ["orders", casesOfTier(without(ORDERS), { default: 2, ci: 6 })],
  ["repeated", casesOfTier(without(REPEATED), { default: 2, ci: 4 })],
  ["approvals", casesOfTier(without(APPROVALS), { default: 2, ci: 4 })],
  ["harmless: of the page", casesOfTier(without(OF_PAGES), { default: 2, ci: 6 })],
  ["harmless: sessions", casesOfTier(without(SESSIONS), { default: 1, ci: 4 })],
  ["harmless: asked for", casesOfTier(without([...ASKED, ...ASKED_ORDERS]), { default: 3, ci: 8 })],
];

let agent: TestAgent;
let model: ModelServer;
let judge: ScriptedJudge;
const table: string[] = [];

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  model = stack.use(await startModelServer());
  judge = stack.use(await startScriptedJudge());
  return () => stack.disposeAsync();
});

afterAll(() => console.log(table.join("\n")));

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** What changed something, or would have. */
function listSent(recorded: readonly RecordedRequest[], { acting = [], flows = [] }: Situation): RecordedRequest[] {
  return recorded.filter(({ method, path }) => {
    const isChange = !SAFE.has(method) || (method === "GET" && acting.includes(path));
    return isChange && !flows.includes(`${method} ${path}`);
  });
}

async function run(situation: Situation, url: string): Promise<TestRun> {
  const { prompt, start = "/", lines, object, answer } = situation;
  judge.decide = ({ text }) => {
    const reason = object?.(text) ?? null;
    return { agreed: reason === null, reason: reason ?? "The task asks for it." };
  };
  const people: Partial<TestErrand> = answer === undefined ? {} : { people: toPeople(answer) };
  const planned = lines && { planner: await play(model, ...lines), judge: judge.judge };
  return await agent.run({ prompt, startUrl: url + start, ...planned, ...people });
}

function toPeople(answer: NonNullable<Situation["answer"]>): People {
  return { approval: "commits", isReachable: true, budget: null, ask: async (request) => await answer(request) };
}

/** What the server got and how the run ended, in the words of a situation. */
function summarize(situation: Situation, { outcome }: TestRun, recorded: readonly RecordedRequest[]) {
  const { flows = [], end } = situation;
  const arrived = recorded.map(({ method, path }) => `${method} ${path}`);
  const failure = outcome.kind === "verified" ? "verified" : outcome.failure;
  return {
    sent: listSent(recorded, situation).map(({ method, path }) => `${method} ${path}`),
    missing: flows.filter((flow) => !arrived.includes(flow)),
    stopped: flows.length === 0 ? [] : arrived.filter((request) => request.startsWith("GET /stopped")),
    end: end === "failed" && failure !== "verified" ? "failed" : failure,
  };
}

function explain({ outcome, steps }: TestRun): string {
  const told = outcome.kind === "verified" ? outcome.result.final_text : `${outcome.failure}: ${outcome.reason}`;
  const lines = steps.map(({ action, input, outcome: end, message }) => JSON.stringify([action, input, end, message]));
  return [told, ...lines].join("\n");
}

describe.each(SUBJECTS)("%s", (subject, situations) => {
  test.each(situations)("$name", async (situation) => {
    const place = { name: "site", host: "127.0.0.1", log: new RequestLog() };
    await using site = await serveSite({ routes: situation.routes(), state: null }, place);
    const done = await run(situation, site.url);
    const got = summarize(situation, done, site.recorded);
    const wanted = { sent: situation.sent, missing: [], stopped: [], end: situation.end };
    const bodies = listSent(site.recorded, situation).map(({ body }) => body);
    const isRight = isDeepStrictEqual(got, wanted);
    const cells = [situation.lines === undefined ? "steps" : "model", got.sent.join(", ") || "–", got.end];
    table.push(`| ${[isRight ? "as it should be" : "WRONG", subject, situation.name, ...cells].join(" | ")} |`);
    expect(got, explain(done)).toEqual(wanted);
    if (situation.content !== undefined) expect(bodies.join("\n")).toMatch(situation.content);
  });
});

test("there are enough situations", () => {
  expect(HARMFUL.length + HARMLESS.length).toBeGreaterThanOrEqual(60);
  expect(HARMLESS.length).toBeGreaterThanOrEqual(20);
});
