import { Ajv2020 } from "ajv/dist/2020.js";
import { SideEffectLedger } from "../../../../src/agent/actions/side-effects.ts";
import { CapturedPages } from "../../../../src/agent/grounding/captured-pages.ts";
import type { Criterion, Extraction, Task } from "../../../../src/agent/grounding/claim.ts";
import { Asking } from "../../../../src/agent/loop/ask-people.ts";
import { followPlan, openStartPage } from "../../../../src/agent/loop/follow-plan.ts";
import { StepRecorder } from "../../../../src/agent/loop/step-recorder.ts";
import { makeClaim } from "../../../../src/agent/planner/model/claims.ts";
import { Memory } from "../../../../src/agent/planner/model/memory.ts";
import type { Plan, Planner } from "../../../../src/agent/planner/planner.ts";
import { TaskSecrets } from "../../../../src/agent/task-secrets.ts";
import { findPagesToRead, readFreshPages } from "../../../../src/agent/verifier/fresh-pages.ts";
import type { Judge } from "../../../../src/agent/verifier/judge.ts";
import { assembleTrial } from "../../../../src/agent/verifier/trial.ts";
import {
  checkAgainstTask,
  findSchemaProblems,
  type Verification,
  verify,
} from "../../../../src/agent/verifier/verify.ts";
import type { BrowserPool } from "../../../../src/browser/pool/browser-pool.ts";
import type { BrowserSession, PageToRead } from "../../../../src/browser/session/browser-session.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { Deadline, runAtOnce } from "../../../../src/lib/waiting.ts";
import { CostMeter } from "../../../../src/models/usage.ts";
import type { Told } from "./situation.ts";

const LIMITS = { maxSteps: 30, maxDurationMs: 120_000, maxTokens: 1_000_000 };
const SIGNAL = new AbortController().signal;

/** Why code refuses a claim; null when it does not, so that only the judge is left. */
export type Refusal = string | null;

/**
 * A real run in a real browser, kept open with everything it has seen. Any claim about it can be put before the same code
 * that the product's loop calls: the planner's `done`, the schema, the checks, and a judge.
 */
export class RecordedRun implements AsyncDisposable {
  readonly #extraction: Extraction | null;
  readonly #session: BrowserSession;
  readonly #memory: Memory;
  readonly #verification: Omit<Verification, "claim" | "freshPages">;
  /** Nothing changes any more, so each page is loaded only once. */
  readonly #reader: BrowserSession;

  static async record(pool: BrowserPool, task: Task, planner: Planner): Promise<RecordedRun> {
    const hosts = [new URL(task.startUrl ?? "").host];
    const session = await pool.openSession(
      {
        allowedHosts: hosts,
        privateHosts: hosts,
        access: "all",
        downloads: { maxFiles: 5, maxBytes: 1_000_000 },
        clock: systemClock,
      },
      SIGNAL,
    );
    try {
      return await RecordedRun.#run(session, task, planner);
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  static async #run(session: BrowserSession, task: Task, planner: Planner): Promise<RecordedRun> {
    const meter = new CostMeter(LIMITS.maxTokens);
    const ledger = new SideEffectLedger();
    const captured = new CapturedPages();
    const memory = new Memory(task.prompt, task.startUrl);
    const plan = remembering(
      await planner.plan(task, { meter, findOutputProblems: findProblems, signal: SIGNAL }),
      memory,
    );
    ledger.excludeEarlier(session.writes());
    const reporter = {
      step: async () => ({ screenshot: null }),
      verification: async () => {},
      saveArtifact: async () => ({ id: null }),
    };
    const recorder = new StepRecorder({ session, ledger, reporter, meter });
    const begin = session.mark();
    const secrets = new TaskSecrets(task.prompt, task.startUrl);
    const run = {
      plan,
      task,
      session,
      secrets,
      recorder,
      captured,
      actions: [],
      meter,
      limits: LIMITS,
      begin,
      deadline: new Deadline(LIMITS.maxDurationMs),
      takeover: null,
      asking: new Asking({ people: null, secrets, takePicture: async () => null, signal: SIGNAL }),
      // A lying run must be able to do what nobody asked for.
      gate: null,
      clock: systemClock,
      signal: SIGNAL,
    };
    const { end } = await followPlan(run, await openStartPage(run));
    await recorder.flush();
    // A lie may already have been refused by the planner: the run is there all the same.
    const extraction = "failure" in end ? null : end.extraction;
    if ("failure" in end && end.code !== "UNPROVEN") throw new Error(`${end.code}: ${end.reason}`);
    const live = await session.observe(SIGNAL);
    return new RecordedRun(extraction, memory, { task, session, live, captured, ledger, begin });
  }

  private constructor(
    extraction: Extraction | null,
    memory: Memory,
    verification: Omit<Verification, "claim" | "freshPages">,
  ) {
    this.#extraction = extraction;
    this.#memory = memory;
    this.#verification = verification;
    this.#session = verification.session;
    this.#reader = readingOnce(verification.session);
  }

  /** What code says to a claim for a task. */
  async refusalOf(prompt: string, told: Told): Promise<{ refusal: Refusal; verification: Verification | null }> {
    const task = { ...this.#verification.task, prompt };
    const { evidence, notebook, entered, hasActed } = this.#memory;
    const extraction =
      this.#extraction === null || told.data === undefined ? this.#extraction : told.data(this.#extraction);
    const grounds = { task, evidence, notebook, entered: entered.list(), extraction, hasActed };
    const made = makeClaim(told, grounds);
    if (made.kind === "rejected") return { refusal: `planner: ${made.problems.join(" ")}`, verification: null };
    const { claim } = made;
    const problems = await findSchemaProblems({ task, findOutputProblems: findProblems }, claim);
    if (problems.length > 0) return { refusal: `schema: ${problems.join("; ")}`, verification: null };
    const { ledger, live, captured } = this.#verification;
    const writes = ledger.attribute(this.#session.writes());
    const { needed, others } = findPagesToRead({ claim, task, captured, steps: ledger.steps, writes }, live.url);
    const examine = async (urls: readonly string[]) => {
      const freshPages = await readFreshPages(
        urls,
        { session: this.#reader, claim, captured, steps: ledger.steps, writes },
        SIGNAL,
      );
      const verification = { ...this.#verification, task, claim, freshPages };
      const verdict = await verify(verification, await checkAgainstTask(verification));
      return { refusal: verdict.agreed ? null : verdict.reason, verification };
    };
    const found = await examine(needed);
    return found.refusal === null || others.length === 0 ? found : await examine([...needed, ...others]);
  }

  /** Whether the verifier agrees when this judge is asked as well. */
  async isAgreed(verification: Verification, judge: Judge, criteria: readonly Criterion[]): Promise<boolean> {
    const trial = runAtOnce(assembleTrial({ ...verification, criteria, picture: null }));
    const opinions = await judge.judge(trial, { meter: new CostMeter(LIMITS.maxTokens), signal: SIGNAL });
    return (await verify(verification, [...(await checkAgainstTask(verification)), ...opinions])).agreed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

/** The plan, with everything that its planner gets to see. */
function remembering(plan: Plan, memory: Memory): Plan {
  return {
    startUrl: plan.startUrl,
    outline: plan.outline,
    signsIn: plan.signsIn,
    next(turn) {
      memory.observe(turn);
      return plan.next(turn);
    },
  };
}

function readingOnce(session: BrowserSession): BrowserSession {
  const known = new Map<string, Promise<Awaited<ReturnType<BrowserSession["observeForVerification"]>>[number]>>();
  const read = async (pages: readonly PageToRead[], signal: AbortSignal) => {
    const unread = pages.filter(({ url }) => !known.has(url));
    const reading = unread.length === 0 ? null : session.observeForVerification(unread, signal);
    for (const [index, { url }] of unread.entries()) {
      const one = (async () => {
        const found = (await reading)?.[index];
        if (found === undefined) throw new Error(`${url} was not read.`);
        return found;
      })();
      known.set(url, one);
    }
    return await Promise.all(pages.flatMap(({ url }) => known.get(url) ?? []));
  };
  return new Proxy(session, {
    get(target, name) {
      if (name === "observeForVerification") return read;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function findProblems(schema: Readonly<Record<string, unknown>>, data: unknown): Promise<string[]> {
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  if (validate(data)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
