import { beforeAll, beforeEach } from "vitest";
import type { Planner } from "../../src/agent/planner/planner.ts";
import { createDoubtfulSite } from "../sites/doubtful.ts";
import { RequestLog } from "../sites/request-log.ts";
import { serveSite } from "../sites/serve-site.ts";
import { startTestAgent, type TestAgent, type TestRun } from "./agent.ts";
import {
  agreeingWithEverything,
  type ScriptedJudge,
  startScriptedJudge,
  type VerdictScript,
} from "./scripted-judge.ts";
import { type Story, tellStory } from "./storyteller.ts";

export interface DoubtfulRun extends TestRun {
  /** Whether the judge's model was asked: it is not when the code has already found a problem. */
  wasJudged: boolean;
  /** The objections to the claim. */
  against: string;
}

export interface DoubtfulCase extends Story {
  prompt: string;
  path: string;
  schema?: Record<string, unknown>;
  /** Without it, the judge agrees with everything. */
  judge?: VerdictScript;
  /** Replaces the story. */
  planner?: Planner;
}

/** One browser pool, one site and one judge for the file; the site is reset between its tests. */
export function useDoubtfulRuns(): (doubtful: DoubtfulCase) => Promise<DoubtfulRun> {
  const stack = new AsyncDisposableStack();
  let agent: TestAgent;
  let judge: ScriptedJudge;
  let url: string;
  let forget: () => void;
  beforeAll(async () => {
    agent = stack.use(await startTestAgent({ hasScreenshots: false }));
    judge = stack.use(await startScriptedJudge());
    const { site, reset } = createDoubtfulSite();
    url = stack.use(await serveSite(site, { name: "doubtful", host: "127.0.0.1", log: new RequestLog() })).url;
    forget = reset;
    return () => stack.disposeAsync();
  });
  beforeEach(() => forget());
  return async ({ prompt, path, schema, planner, judge: script = agreeingWithEverything, ...story }) => {
    Object.assign(judge, { script, verdicts: 0 });
    const run = await agent.run({
      prompt,
      startUrl: url + path,
      planner: planner ?? tellStory(story),
      judge: judge.judge,
      ...(schema === undefined ? {} : { outputSchema: schema }),
    });
    const checks = run.verdict?.checks.filter(({ verdict }) => verdict !== "satisfied") ?? [];
    const against = checks.map(({ about, verdict, evidence }) => `${about}: ${verdict}. ${evidence}`).join("\n");
    return { ...run, wasJudged: judge.verdicts > 0, against };
  };
}
