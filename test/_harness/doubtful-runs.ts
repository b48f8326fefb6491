import { beforeAll, beforeEach } from "vitest";
import type { Planner } from "../../src/agent/planner/planner.ts";
import { createDoubtfulSite } from "../sites/doubtful.ts";
import { RequestLog } from "../sites/request-log.ts";
import { serveSite } from "../sites/serve-site.ts";
import type { Site } from "../sites/site.ts";
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
  /** Default: it agrees with everything. Null: a run without a model, whose prompt is steps. */
  judge?: VerdictScript | null;
  /** Replaces the story. */
  planner?: Planner;
}

/** Runs on the site that lies; it is reset between the tests of the file. */
export function useDoubtfulRuns(): (doubtful: DoubtfulCase) => Promise<DoubtfulRun> {
  const { site, reset } = createDoubtfulSite();
  beforeEach(reset);
  return useDoubtfulRunsOn("doubtful", site);
}

/** One browser pool, one site and one judge for the file. */
export function useDoubtfulRunsOn<State>(
  name: string,
  site: Site<State>,
): (doubtful: DoubtfulCase) => Promise<DoubtfulRun> {
  let agent: TestAgent;
  let judge: ScriptedJudge;
  let url: string;
  beforeAll(async () => {
    const stack = new AsyncDisposableStack();
    agent = stack.use(await startTestAgent());
    judge = stack.use(await startScriptedJudge());
    url = stack.use(await serveSite(site, { name, host: "127.0.0.1", log: new RequestLog() })).url;
    return () => stack.disposeAsync();
  });
  return async ({ prompt, path, schema, planner, judge: script = agreeingWithEverything, ...story }) => {
    Object.assign(judge, { script: script ?? agreeingWithEverything, verdicts: 0 });
    const run = await agent.run({
      prompt,
      startUrl: url + path,
      ...(script === null ? {} : { planner: planner ?? tellStory(story), judge: judge.judge }),
      ...(schema === undefined ? {} : { outputSchema: schema }),
    });
    const checks = run.verdict?.checks.filter(({ verdict }) => verdict !== "satisfied") ?? [];
    const against = checks.map(({ about, verdict, evidence }) => `${about}: ${verdict}. ${evidence}`).join("\n");
    return { ...run, wasJudged: judge.verdicts > 0, against };
  };
}
