import type { Observation } from "../../browser/observation/observation.ts";
import { type BrowserSession, SessionLost } from "../../browser/session/browser-session.ts";
import type { ExecutionResult } from "../../contract/execution.ts";
import { inSpan } from "../../lib/tracing.ts";
import { ModelFailure } from "../../models/model.ts";
import { CostMeter, TokensSpent, toCost } from "../../models/usage.ts";
import { ACTIONS } from "../actions/catalogue.ts";
import { hasSentBefore, SideEffectLedger } from "../actions/side-effects.ts";
import { CapturedPages } from "../grounding/captured-pages.ts";
import type { Criterion } from "../grounding/claim.ts";
import { type Claim } from "../grounding/claim.ts";
import { PlannerRefusal } from "../planner/planner.ts";
import { findEntries, readFreshPages } from "../verifier/case.ts";
import { type Verdict } from "../verifier/check.ts";
import { assembleTrial } from "../verifier/trial.ts";
import { areWritesAccepted, checkAgainstTask, findSchemaProblems, verify } from "../verifier/verify.ts";
import { type Ending, endWith, toErrorMessage } from "./ending.ts";
import { type Errand, type ErrandEnd, type ErrandOutcome, EvidenceNotKept, StopReason } from "./errand.ts";
import { followPlan, type RunContext, resumePlan } from "./follow-plan.ts";
import { probeSignIn } from "./sign-in-probe.ts";
import { countVerdict, keepEvidence, keepProvenance, StepRecorder } from "./step-recorder.ts";

/** More than anybody reads; a run of fifty steps stays far below. */
const MAX_URLS = 200;

/** One errand on its way, with everything that it has come by. */
interface Run {
  readonly errand: Errand;
  readonly criteria: readonly Criterion[];
  readonly journey: RunContext;
  readonly ledger: SideEffectLedger;
  readonly meter: CostMeter;
}

/** Carries out one errand: understand, act, verify. It ends with an outcome, or throws when the run was taken away. */
export async function runErrand(errand: Errand): Promise<ErrandOutcome> {
  const meter = new CostMeter(errand.limits.maxTokens);
  const end = await runMetered(errand, meter);
  return { ...end, cost: toCost(meter.total) };
}

async function runMetered(errand: Errand, meter: CostMeter): Promise<ErrandEnd> {
  const { task, planner, judge, findOutputProblems, limits, reporter, clock } = errand;
  const startedAtMs = performance.now();
  const deadline = AbortSignal.timeout(limits.maxDurationMs);
  const signal = AbortSignal.any([errand.signal, deadline]);
  const ledger = new SideEffectLedger();
  let session: BrowserSession | null = null;
  let recorder: StepRecorder | null = null;
  try {
    const criteria = (await judge?.listCriteria(task, { meter, signal })) ?? [];
    const plan = await inSpan("execution.plan", {}, () =>
      planner.plan(task, { criteria, meter, findOutputProblems, signal }),
    );
    session = await errand.openSession(signal);
    if (!(await errand.begin())) throw new StopReason("lease_lost");
    // A task that says how to sign in needs nobody to be signed in.
    const signIn = plan.signsIn ? null : errand.signIn;
    const signedOut = signIn && (await probeSignIn(signIn, session, signal));
    if (signedOut !== null) return fail(endWith("reauthorization_required", signedOut), ledger, session);
    ledger.setAside(session.writes());
    const effectOf = (action: string) => ACTIONS.get(action)?.effect ?? "mutate";
    recorder = new StepRecorder({ session, ledger, reporter, clock, meter, effectOf });
    const begin = session.mark();
    const captured = new CapturedPages();
    const journey = { plan, task, session, recorder, meter, limits, captured, begin, startedAtMs, clock, signal };
    return await executePlan({ errand, criteria, journey, ledger, meter });
  } catch (error) {
    const ending = explainStop(error, errand, deadline);
    if (ending === null) throw error;
    await recorder?.flush();
    return fail(ending, ledger, session);
  } finally {
    if (session !== null) await errand.releaseSession(session);
  }
}

/** What the planner claims is verified; if that fails, it hears why and gets one more chance. */
async function executePlan(run: Run): Promise<ErrandEnd> {
  const { plan } = run.journey;
  const first = await examine(run, await followPlan(run.journey));
  if (first.objection === null || plan.reconsider === undefined) return first.outcome;
  plan.reconsider(first.objection);
  const { session } = run.journey;
  const sent = run.ledger.attribute(session.writes());
  const arrival = await resumePlan(run.journey, (call) =>
    hasSentBefore(call, sent) ? endWith("unverified", `${first.objection} ${REPEAT_PREVENTED}`, "WOULD_REPEAT") : null,
  );
  return (await examine(run, arrival)).outcome;
}

const REPEAT_PREVENTED =
  "To put that right, the planner would have sent again what it had sent already; that was not done.";

interface Examination {
  readonly outcome: ErrandEnd;
  /** What the planner might still mend; null when nothing, or when trying could do harm. */
  readonly objection: string | null;
}

async function examine(run: Run, { end, observation }: Awaited<ReturnType<typeof followPlan>>): Promise<Examination> {
  const { errand, ledger } = run;
  const { session, recorder, captured } = run.journey;
  const { reporter } = errand;
  const keeping = keepEvidence({ session, reporter, downloads: recorder.downloads, observation });
  await Promise.all([recorder.flush(), keeping]);
  if ("failure" in end) return { outcome: fail(end, ledger, session), objection: null };
  if (end.extraction !== null) await keepProvenance(end.extraction, { reporter, recorder, captured });
  const problems = await findSchemaProblems(errand, end);
  if (problems.length > 0) {
    const reason = `The data does not fit output_schema: ${problems.join("; ")}.`;
    const objection = areWritesAccepted({ session, ledger }) ? reason : null;
    return { outcome: fail(endWith("output_schema_mismatch", reason), ledger, session), objection };
  }
  return await inSpan("execution.verify", {}, async (span) => {
    const examined = await reachVerdict(run, end, observation.url);
    span?.set({ "errand.verified": examined.outcome.kind === "verified" });
    return examined;
  });
}

async function reachVerdict(
  { errand, criteria, journey, ledger, meter }: Run,
  claim: Claim,
  lastUrl: string,
): Promise<Examination> {
  const { task, judge, reporter } = errand;
  const { session, captured, begin, signal } = journey;
  meter.take();
  // A model chooses for itself what it rests its claim on: so the pages that it worked on are looked at as well.
  const worked = judge === null ? [] : [lastUrl, ...findEntries(ledger.steps).map(({ url }) => url)];
  const [live, looks] = await Promise.all([session.observe(signal), readFreshPages(claim, worked, session, signal)]);
  const trial = { claim, task, session, live, looks, captured, ledger, begin };
  const doubts = judge === null ? [] : checkAgainstTask(trial);
  // A model's opinion cannot outweigh what code has found, so it is only asked when code has found nothing.
  const found = verify(trial, doubts);
  const opinions =
    judge === null || !found.agreed
      ? []
      : await judge.judge(assembleTrial({ ...trial, criteria, picture: await session.screenshot() }), {
          meter,
          signal,
        });
  const verdict = verify(trial, [...doubts, ...opinions]);
  countVerdict(verdict.agreed);
  await reporter.verification({ ...verdict, cost: toCost(meter.take()), total_cost: toCost(meter.total) });
  if (verdict.agreed) return { outcome: succeed(claim, verdict, live, ledger, session), objection: null };
  const ending = endWith("unverified", `The verifier did not agree. ${verdict.reason}`);
  // After a change that was refused or never answered, trying again might do it twice.
  const objection = areWritesAccepted(trial) ? verdict.reason : null;
  return { outcome: fail(ending, ledger, session, verdict), objection };
}

function succeed(
  { answer, extraction, facts }: Claim,
  { agreed, reason }: Verdict,
  { url, title }: Observation,
  ledger: SideEffectLedger,
  session: BrowserSession,
): ErrandEnd {
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
): ErrandEnd {
  const { failure, code, reason } = ending;
  const sideEffects = ledger.list(session?.writes() ?? []);
  const message = toErrorMessage(ending, sideEffects.length > 0);
  return { kind: "failed", failure, code, reason, message, sideEffects, verdict };
}

/** What an error in the middle of a run means for it; null when the run is not ours to end, or the fault is ours. */
function explainStop(error: unknown, { signal, limits }: Errand, deadline: AbortSignal): Ending | null {
  if (signal.aborted) {
    const { reason } = signal;
    const isCanceled = reason instanceof StopReason && reason.kind === "canceled";
    return isCanceled ? endWith("canceled", "The execution was canceled while it ran.") : null;
  }
  if (error instanceof ModelFailure)
    return endWith("model_error", error.message, `MODEL_${error.trouble.toUpperCase()}`);
  if (deadline.aborted) {
    return endWith("timed_out", `The errand was not done after ${Math.round(limits.maxDurationMs / 1_000)} seconds.`);
  }
  if (error instanceof PlannerRefusal) return endWith("unsupported_prompt", error.message);
  if (error instanceof TokensSpent) return endWith("step_limit", error.message, "TOKEN_LIMIT");
  if (error instanceof EvidenceNotKept) return endWith("internal_error", error.message, "EVIDENCE_NOT_KEPT");
  return error instanceof SessionLost ? endWith("site_error", error.message, "BROWSER_LOST") : null;
}
