import type { Observation } from "../browser/observation/observation.ts";
import { type BrowserSession, SessionLost } from "../browser/session/browser-session.ts";
import type { ExecutionResult } from "../contract/execution.ts";
import { ACTIONS } from "./actions/catalogue.ts";
import { CapturedPages } from "./captured-pages.ts";
import { adviseOn, type Ending, endWith } from "./ending.ts";
import { type Errand, type ErrandOutcome, StopReason, type Verdict } from "./errand.ts";
import { followPlan } from "./follow-plan.ts";
import { keepEvidence } from "./keep-evidence.ts";
import { type Claim, type Plan, PlannerRefusal } from "./planner/planner.ts";
import { SideEffectLedger } from "./side-effects.ts";
import { StepRecorder } from "./step-recorder.ts";
import { takeSecondLooks } from "./verifier/second-look.ts";
import { findSchemaProblems, verify } from "./verifier/verify.ts";

/** More than anybody reads; a run of fifty steps stays far below. */
const MAX_URLS = 200;

/** Carries out one errand: understand, act, verify. It ends with an outcome, or throws when the run was taken away. */
export async function runErrand(errand: Errand): Promise<ErrandOutcome> {
  const plan = understand(errand);
  if ("failure" in plan) return fail(plan, new SideEffectLedger(), null);
  const deadline = AbortSignal.timeout(errand.limits.maxDurationMs);
  const signal = AbortSignal.any([errand.signal, deadline]);
  const ledger = new SideEffectLedger();
  let session: BrowserSession | null = null;
  try {
    session = await errand.openSession(signal);
    if (!(await errand.begin())) throw new StopReason("lease_lost");
    return await carryOut(errand, plan, session, ledger, signal);
  } catch (error) {
    const ending = explainStop(error, errand, deadline);
    if (ending === null) throw error;
    return fail(ending, ledger, session);
  } finally {
    await session?.[Symbol.asyncDispose]();
  }
}

function understand({ planner, task }: Errand): Plan | Ending {
  try {
    return planner.plan(task);
  } catch (error) {
    if (!(error instanceof PlannerRefusal)) throw error;
    return endWith("unsupported_prompt", error.message);
  }
}

async function carryOut(
  errand: Errand,
  plan: Plan,
  session: BrowserSession,
  ledger: SideEffectLedger,
  signal: AbortSignal,
): Promise<ErrandOutcome> {
  const { task, limits, reporter, clock } = errand;
  const captured = new CapturedPages();
  const begin = session.mark();
  const effectOf = (action: string) => ACTIONS.get(action)?.effect ?? "mutate";
  const recorder = new StepRecorder({ session, ledger, reporter, clock, effectOf });
  const startUrl = task.startUrl ?? plan.startUrl;
  const { maxSteps } = limits;
  const { end, observation } = await followPlan({
    plan,
    startUrl,
    session,
    recorder,
    captured,
    maxSteps,
    clock,
    signal,
  });
  const keeping = keepEvidence({ session, reporter, downloads: recorder.downloads, observation });
  await Promise.all([recorder.flush(), keeping]);
  if ("failure" in end) return fail(end, ledger, session);
  const problems = await findSchemaProblems(errand, end);
  if (problems.length > 0) {
    return fail(
      endWith("output_schema_mismatch", `The data does not fit output_schema: ${problems.join("; ")}.`),
      ledger,
      session,
    );
  }
  const [live, looks] = await Promise.all([session.observe(signal), takeSecondLooks(end, session, signal)]);
  const verdict = verify({ claim: end, task, session, live, looks, captured, ledger, begin });
  await reporter.verification(verdict);
  return verdict.agreed
    ? succeed(end, verdict, live, ledger, session)
    : fail(endWith("unverified", `The verifier did not agree. ${verdict.reason}`), ledger, session, verdict);
}

function succeed(
  { answer, extraction, facts }: Claim,
  { agreed, reason }: Verdict,
  { url, title }: Observation,
  ledger: SideEffectLedger,
  session: BrowserSession,
): ErrandOutcome {
  const cited = [...facts, ...(extraction?.leaves ?? [])].map((ground) => ground.url);
  const result: ExecutionResult = {
    final_text: answer,
    final_url: url,
    final_title: title,
    extracted: extraction?.data ?? null,
    evidence: {
      urls: [...new Set([...session.visited(), ...cited])].slice(0, MAX_URLS),
      verifier: { agreed, reason },
      side_effects: ledger.list(session.writes()),
    },
  };
  return { kind: "verified", reason: "The errand was done, and every check agreed.", result };
}

function fail(
  ending: Ending,
  ledger: SideEffectLedger,
  session: BrowserSession | null,
  verdict: Verdict | null = null,
): ErrandOutcome {
  const { failure, code, reason } = ending;
  const sideEffects = ledger.list(session?.writes() ?? []);
  return { kind: "failed", failure, code, reason, message: adviseOn(ending), sideEffects, verdict };
}

/** What an error in the middle of a run means for it; null when the run is not ours to end, or the fault is ours. */
function explainStop(error: unknown, { signal, limits }: Errand, deadline: AbortSignal): Ending | null {
  if (signal.aborted) {
    const { reason } = signal;
    const isCanceled = reason instanceof StopReason && reason.kind === "canceled";
    return isCanceled ? endWith("canceled", "The execution was canceled while it ran.") : null;
  }
  if (deadline.aborted) {
    return endWith("timed_out", `The errand was not done after ${Math.round(limits.maxDurationMs / 1_000)} seconds.`);
  }
  return error instanceof SessionLost ? endWith("site_error", error.message, "BROWSER_LOST") : null;
}
