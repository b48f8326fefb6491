import { Ajv2020 } from "ajv/dist/2020.js";
import type { People } from "../../src/agent/gate/people.ts";
import type { ErrandLimits, ErrandOutcome, NewArtifact, StepReport } from "../../src/agent/loop/errand.ts";
import { runErrand } from "../../src/agent/loop/run-errand.ts";
import type { SignInProbe } from "../../src/agent/loop/sign-in-probe.ts";
import type { Planner } from "../../src/agent/planner/planner.ts";
import { createStepsPlanner } from "../../src/agent/steps/steps-planner.ts";
import type { Verdict } from "../../src/agent/verifier/check.ts";
import type { Judge } from "../../src/agent/verifier/judge.ts";
import type { BrowserPool } from "../../src/browser/pool/browser-pool.ts";
import type { SessionLimits, SessionOptions } from "../../src/browser/session/session-options.ts";
import type { BrowserState } from "../../src/browser/state/browser-state.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { RecipeUse } from "../../src/recipes/recipe.ts";
import { openSharedPool } from "./shared-browsers.ts";

export interface TestErrand {
  prompt: string;
  startUrl?: string | null;
  outputSchema?: Record<string, unknown>;
  now?: Date;
  /** Default: only the host of the start URL. */
  allowedHosts?: string[];
  access?: SessionOptions["access"];
  state?: BrowserState;
  signIn?: SignInProbe;
  planner?: Planner;
  judge?: Judge;
  people?: People;
  recipe?: RecipeUse;
  limits?: Partial<ErrandLimits>;
  signal?: AbortSignal;
  onStep?: (step: StepReport) => void;
}

export interface TestRun {
  outcome: ErrandOutcome;
  steps: StepReport[];
  verdict: Verdict | null;
  artifacts: NewArtifact[];
}

/** The agent with real browsers and without a queue. */
export interface TestAgent extends AsyncDisposable {
  pool: BrowserPool;
  run(errand: TestErrand): Promise<TestRun>;
}

export interface TestAgentOptions {
  readonly limits?: Partial<SessionLimits>;
  /** Whether it takes screenshots (default: no). They are about a sixth of the processor time, and few tests look at them. */
  readonly hasScreenshots?: boolean;
}

export async function startTestAgent({ limits, hasScreenshots = false }: TestAgentOptions = {}): Promise<TestAgent> {
  const shared = await openSharedPool(limits);
  const pool = hasScreenshots ? shared : withoutScreenshots(shared);
  return { pool, run: (errand) => run(pool, errand), [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() };
}

/** As if none could be taken: the run goes on without. */
function withoutScreenshots(pool: BrowserPool): BrowserPool {
  return {
    ...pool,
    async openSession(options, signal) {
      const session = await pool.openSession(options, signal);
      session.screenshot = async () => null;
      return session;
    },
  };
}

async function run(pool: BrowserPool, errand: TestErrand): Promise<TestRun> {
  const { prompt, startUrl = null, outputSchema = null, now = new Date(), access = "all", state } = errand;
  const hosts = errand.allowedHosts ?? (startUrl === null ? [] : [new URL(startUrl).host]);
  const seen: Omit<TestRun, "outcome"> = { steps: [], verdict: null, artifacts: [] };
  const outcome = await runErrand({
    task: { prompt, startUrl, outputSchema, now },
    planner: errand.planner ?? createStepsPlanner(),
    judge: errand.judge ?? null,
    openSession: (signal) =>
      pool.openSession(
        {
          allowedHosts: hosts,
          privateHosts: hosts,
          access,
          downloads: { maxFiles: 5, maxBytes: 1_000_000 },
          clock: systemClock,
          ...(state === undefined ? {} : { state }),
        },
        signal,
      ),
    releaseSession: async (session) => session[Symbol.asyncDispose](),
    begin: async () => true,
    signIn: errand.signIn ?? null,
    findOutputProblems: async (schema, data) => {
      const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
      return validate(data)
        ? []
        : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
    recipe: errand.recipe ?? null,
    people: errand.people ?? null,
    takeover: null,
    limits: { maxSteps: 50, maxDurationMs: 150_000, maxTokens: 1_000_000, ...errand.limits },
    reporter: {
      async step(reported, screenshot = null) {
        if (screenshot !== null) seen.artifacts.push(screenshot);
        const step = screenshot === null ? reported : { ...reported, screenshot: `artifact-${seen.artifacts.length}` };
        seen.steps.push(step);
        errand.onStep?.(step);
        return { screenshot: step.screenshot };
      },
      async verification(verdict) {
        seen.verdict = verdict;
      },
      async saveArtifact(artifact) {
        seen.artifacts.push(artifact);
        return { id: `artifact-${seen.artifacts.length}` };
      },
    },
    clock: systemClock,
    signal: errand.signal ?? new AbortController().signal,
  });
  return { outcome, ...seen };
}
