import { beforeAll, expect, test } from "vitest";
import type { Criterion } from "../../../../src/agent/grounding/claim.ts";
import { startTestAgent, type TestAgent } from "../../../_harness/agent.ts";
import { call, type Line, play } from "../../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../../_harness/model-server.ts";
import {
  agreeingWithEverything,
  type ScriptedJudge,
  type ScriptedVerdict,
  type ShownTrial,
  startScriptedJudge,
} from "../../../_harness/scripted-judge.ts";
import { openSharedPool } from "../../../_harness/shared-browsers.ts";
import { casesOfTier } from "../../../_harness/tier.ts";
import { RequestLog } from "../../../sites/request-log.ts";
import { serveSite } from "../../../sites/serve-site.ts";
import type { Route } from "../../../sites/site.ts";
import { mutate, reword } from "./mutate.ts";
import { OTHER_WORDS } from "./other-words.ts";
import { RecordedRun } from "./recorded-run.ts";
import type { Lie, Situation, Told } from "./situation.ts";
import { CHANGES } from "./situations/changes.ts";
import { LANGUAGES } from "./situations/languages.ts";
import { LISTS } from "./situations/lists.ts";
import { READING } from "./situations/reading.ts";

const ALL: readonly Situation[] = [...READING, ...LANGUAGES, ...LISTS, ...CHANGES];
const SITUATIONS = casesOfTier(ALL, { ci: 12 });
const CRITERIA: readonly Criterion[] = [{ id: "c1", text: "What the task asks for was done." }];

/** A claim and what became of it. */
interface Result {
  readonly situation: string;
  readonly prompt: string;
  readonly claim: Told | Lie;
  /** Null when code has nothing against it. */
  readonly refusal: string | null;
  /** Whether it was agreed to with a judge that compares. */
  readonly isAgreedByHonestJudge: boolean;
}

/** A browser, a model and a judge: runs share them one after another. */
interface Lane {
  readonly model: ModelServer;
  readonly judge: ScriptedJudge;
}

let agent: TestAgent;
let url: string;
/** By situation: a run starts with pages that no other run has changed. */
const routes: Record<string, Route> = {};
const lanes: Lane[] = [];

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  agent = stack.use(await startTestAgent());
  for (let index = 0; index < 2; index++) {
    lanes.push({ model: stack.use(await startModelServer()), judge: stack.use(await startScriptedJudge()) });
  }
  const site = await serveSite({ routes, state: null }, { name: "corpus", host: "127.0.0.1", log: new RequestLog() });
  url = stack.use(site).url;
  return () => stack.disposeAsync();
});

/** What the model does, and then that it is done with this claim. */
function lineOf({ lines = [], mapping }: Situation, { answer, facts, proofs }: Told): Line {
  const left = [...lines];
  return (turn) => {
    const isAboutPage = turn.request.toolNames.length === 1;
    if (isAboutPage && mapping !== undefined) return mapping(turn);
    return left.shift()?.(turn) ?? call("done", { answer, facts, proofs });
  };
}

/** Says of a lie that it is one, and of the truth that it is true where the evidence has its quote. */
function comparing(claim: Told, isLie: boolean): (shown: ShownTrial) => ScriptedVerdict {
  return (shown) => {
    const agreed = agreeingWithEverything(shown);
    const quotes = [
      ...(claim.facts ?? []).map(({ quote }) => quote),
      ...(claim.proofs ?? []).map(({ text }) => text ?? ""),
    ];
    const wanted = quotes.find((quote) => quote.length >= 8) ?? "";
    const cited = [...shown.evidence].find(([, text]) => text.includes(wanted));
    const criteria = agreed.criteria.map((each) => {
      if (isLie) return { ...each, verdict: "contradicted", reason: "The evidence says something else." };
      return cited === undefined || wanted === "" ? each : { ...each, evidence: [cited[0]], quote: wanted };
    });
    return { ...agreed, criteria };
  };
}

async function examine(situation: Situation, { model, judge }: Lane): Promise<Result[]> {
  const { start, schema = null, tasks } = situation;
  Object.assign(routes, situation.routes());
  const [{ prompt, truths, lies }] = tasks;
  const claim = truths[0] ?? lies[0];
  if (claim === undefined) throw new Error("nothing is claimed");
  const task = { prompt, startUrl: url + start, outputSchema: schema, now: new Date("2026-04-02T09:00:00Z") };
  const planner = await play(model, lineOf(situation, claim));
  await using pool = await openSharedPool();
  await using run = await RecordedRun.record(pool, task, planner);
  const results: Result[] = [];
  for (const asked of tasks) {
    const more = asked.truths.length === 0 ? [] : (OTHER_WORDS[asked.prompt] ?? []);
    const truths = [...asked.truths, ...asked.truths.flatMap(reword), ...more];
    for (const claim of [...truths, ...asked.lies, ...mutate(asked)]) {
      const { refusal, verification } = await run.refusalOf(asked.prompt, claim);
      let isAgreedByHonestJudge = false;
      if (refusal === null && verification !== null) {
        judge.script = comparing(claim, "kind" in claim);
        isAgreedByHonestJudge = await run.isAgreed(verification, judge.judge, CRITERIA);
      }
      results.push({ situation: situation.name, prompt: asked.prompt, claim, refusal, isAgreedByHonestJudge });
    }
  }
  return results;
}

test("lies are caught by code, and no truth is refused", async () => {
  const left = [...SITUATIONS];
  const results: Result[] = [];
  const problems: string[] = [];
  const work = async (lane: Lane) => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const name = next.name;
      const found = await examine(next, lane).catch((error: unknown) => {
        problems.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
        return [];
      });
      results.push(...found);
    }
  };
  await Promise.all(lanes.map(work));
  const truths = results.filter(({ claim }) => !("kind" in claim));
  const lies = results.filter(({ claim }) => "kind" in claim);
  const passed = lies.filter(({ refusal }) => refusal === null);
  const refused = truths.filter(({ refusal, isAgreedByHonestJudge }) => refusal !== null || !isAgreedByHonestJudge);
  console.log(`${tabulate(lies)}\n${describe("lies that passed", passed)}\n${describe("truths refused", refused)}`);
  console.log(
    `${SITUATIONS.length} situations; ${lies.length - passed.length} of ${lies.length} lies caught by code; ${refused.length} of ${truths.length} truths refused`,
  );
  expect(problems).toEqual([]);
  expect(ALL.length).toBeGreaterThanOrEqual(40);
  expect(lies.length).toBeGreaterThanOrEqual(3 * SITUATIONS.length);
  expect(truths.length).toBeGreaterThanOrEqual(2 * SITUATIONS.length);
  expect(refused).toEqual([]);
  expect(1 - passed.length / lies.length).toBeGreaterThanOrEqual(0.95);
  expect(lies.filter(({ isAgreedByHonestJudge }) => isAgreedByHonestJudge)).toEqual([]);
}, 900_000);

/** The same lies with a whole run: planner, loop, verifier and a judge that agrees with everything. */
test.each(endToEnd())("a whole run does not end verified with $kind: $prompt", async ({ situation, prompt, claim }) => {
  const [lane] = lanes;
  if (lane === undefined) throw new Error("there is no model");
  const { start, schema } = situation;
  Object.assign(routes, situation.routes());
  const planner = await play(lane.model, lineOf(situation, claim));
  lane.judge.script = agreeingWithEverything;
  const { outcome } = await agent.run({
    prompt,
    startUrl: url + start,
    planner,
    judge: lane.judge.judge,
    ...(schema === undefined ? {} : { outputSchema: schema }),
  });
  // A change in a question is not sent, so that the answer is true after all.
  const isTrue = claim.kind === "change in a question" && outcome.kind === "verified";
  if (isTrue) return expect(outcome.result.evidence.side_effects).toEqual([]);
  const failure = expect.stringMatching(/^(?:unverified|goal_unreachable|step_limit)$/);
  return expect(outcome, JSON.stringify(outcome)).toMatchObject({ kind: "failed", failure });
});

/** One of each kind that code catches, without those that change the extracted data. */
function endToEnd() {
  const all = SITUATIONS.flatMap((situation) =>
    situation.tasks.flatMap(({ prompt, lies }) =>
      lies.flatMap((claim) =>
        claim.data === undefined && claim.needsJudge === undefined
          ? [{ kind: claim.kind, prompt, situation, claim }]
          : [],
      ),
    ),
  );
  return [...Map.groupBy(all, ({ kind }) => kind).values()].flatMap((group) => group.slice(0, 1));
}

function tabulate(lies: readonly Result[]): string {
  const groups = [...Map.groupBy(lies, ({ claim }) => ("kind" in claim ? claim.kind : ""))];
  return groups
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([kind, group]) => {
      const caught = group.filter(({ refusal }) => refusal !== null).length;
      return `| ${kind.padEnd(26)} | ${String(caught).padStart(3)} / ${String(group.length).padStart(3)} |`;
    })
    .join("\n");
}

function describe(what: string, results: readonly Result[]): string {
  const lines = results.map(
    ({ situation, prompt, claim, refusal }) =>
      `  ${"kind" in claim ? claim.kind : "truth"} | ${situation} | ${prompt} | ${claim.answer.slice(0, 120).replaceAll("\n", " / ")} | ${refusal?.slice(0, 300) ?? ""}`,
  );
  return `${what}: ${results.length}\n${lines.join("\n")}`;
}
