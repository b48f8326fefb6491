import { setImmediate } from "node:timers/promises";
import type { Observation } from "../../browser/observation/observation.ts";
import { type BrowserSession, SessionLost } from "../../browser/session/browser-session.ts";
import type { ExecutionResult } from "../../contract/execution.ts";
import { inSpan } from "../../lib/tracing.ts";
import { Deadline, runInSlices } from "../../lib/waiting.ts";
import { ModelFailure } from "../../models/model.ts";
import { CostMeter, TokensSpent, toCost } from "../../models/usage.ts";
import type { Lesson } from "../../recipes/recipe.ts";
import { hasSentBefore, SideEffectLedger } from "../actions/side-effects.ts";
import { ApprovalRefused } from "../gate/agreement.ts";
import { findCommit } from "../gate/commit.ts";
import { Gate } from "../gate/gate.ts";
import { pauseWhileAsking, pauseWhileTakenOver } from "../gate/people.ts";
import { describeCommit } from "../gate/receipt.ts";
import { CapturedPages } from "../grounding/captured-pages.ts";
import type { Claim } from "../grounding/claim.ts";
import { PlannerRefusal } from "../planner/planner.ts";
import { learn } from "../recipes/learn.ts";
import { checkWrites } from "../recipes/write-shapes.ts";
import type { Step } from "../steps/step.ts";
import { TaskSecrets } from "../task-secrets.ts";
import type { Check, Verdict } from "../verifier/check.ts";
import { checkStored } from "../verifier/check-stored.ts";
import { findPagesToRead, readFreshPages } from "../verifier/fresh-pages.ts";
import { isSavedLately } from "../verifier/sent-entries.ts";
import { assembleTrial } from "../verifier/trial.ts";
import {
  areWritesAccepted,
  checkAgainstTask,
  findSchemaProblems,
  toCase,
  type Verification,
  verify,
} from "../verifier/verify.ts";
import { Asking } from "./ask-people.ts";
import { RunDirection } from "./direction.ts";
import { type Ending, endWith, toErrorMessage } from "./ending.ts";
import { type Errand, type ErrandEnd, type ErrandOutcome, EvidenceNotKept, StopReason } from "./errand.ts";
import { followPlan, openStartPage, type RunContext } from "./follow-plan.ts";
import { probeSignIn } from "./sign-in-probe.ts";
import { countVerdict, StepRecorder, saveEvidence, saveProvenance } from "./step-recorder.ts";

/** A run whose browser is open. */
interface Run extends RunContext {
  readonly errand: Errand;
  readonly direction: RunDirection;
  readonly ledger: SideEffectLedger;
}

/**
 * Runs one errand: plan, act, verify. When the verifier disagrees, the planner learns why and gets one more chance.
 * Throws when the run was stopped from outside (unless it was canceled) and on our own bugs.
 */
export async function runErrand(errand: Errand): Promise<ErrandOutcome> {
  const { task, limits, reporter, clock } = errand;
  using deadline = new Deadline(limits.maxDurationMs);
  const signal = AbortSignal.any([errand.signal, deadline.signal]);
  const meter = new CostMeter(limits.maxTokens);
  const ledger = new SideEffectLedger();
  let session: BrowserSession | null = null;
  let recorder: StepRecorder | null = null;
  let closing: Gate | null = null;
  let direction: RunDirection | null = null;
  const finish = (end: ErrandEnd, lesson: Lesson | null = null): ErrandOutcome => {
    const recipe = direction?.conclude(end.kind === "failed" ? end.reason : null) ?? null;
    return { ...end, cost: toCost(meter.total), recipe, lesson };
  };
  try {
    direction = await inSpan("execution.plan", {}, () => RunDirection.start(errand, meter, signal));
    const { plan } = direction;
    const opened = await errand.openSession(signal);
    session = opened;
    if (!(await errand.begin())) throw new StopReason("lease_lost");
    // A task that contains its own sign-in does not need the user's.
    const signIn = plan.signsIn ? null : errand.signIn;
    const signedOut = signIn && (await probeSignIn(signIn, session, signal));
    if (signedOut !== null) return finish(fail(endWith("reauthorization_required", signedOut), ledger, session));
    await direction.begin();
    ledger.excludeEarlier(session.writes());
    recorder = new StepRecorder({ session, ledger, reporter, meter });
    const secrets = new TaskSecrets(task.prompt, plan.startUrl ?? task.startUrl);
    const people = errand.people && pauseWhileAsking(errand.people, deadline);
    const { takePicture } = recorder;
    const observe = () => opened.observe(signal);
    const gate = new Gate({ task, secrets, people, meter, takePicture, observe, direction });
    closing = gate;
    session.setGate(gate.decide);
    ledger.describe = (write) => {
      const commit = findCommit(gate.commits, write);
      return commit && describeCommit(commit);
    };
    ledger.isLookup = (write) => gate.isLookup(write);
    const run: Run = {
      plan,
      direction,
      task,
      session,
      secrets,
      gate,
      recorder,
      captured: new CapturedPages(),
      actions: [],
      meter,
      limits,
      begin: session.mark(),
      deadline,
      takeover: errand.takeover && pauseWhileTakenOver(errand.takeover, deadline),
      asking: new Asking({ people, secrets, takePicture, signal }),
      clock,
      signal,
      errand,
      ledger,
    };
    const first = await examine(run, await followPlan(run, await openStartPage(run)));
    if (first.objection === null || !(await direction.reconsider(first.objection)))
      return finish(first.end, first.lesson);
    const second = await examine(run, await followAgain(run, first.objection));
    return finish(second.end, second.lesson);
  } catch (error) {
    const ending = explainStop(error, errand, deadline.signal);
    if (ending === null) throw error;
    await recorder?.flush();
    return finish(fail(ending, ledger, session));
  } finally {
    // If this fails, what was reserved counts as spent.
    await closing?.close().catch(() => {});
    if (session !== null) await errand.releaseSession(session);
  }
}

/** What the verified run teaches; null when it followed a recipe. */
function takeLesson({ plan, direction, task, actions, ledger, session }: Run, claim: Claim): Lesson | null {
  if (direction.isReplaying) return null;
  if (ledger.steps.some(({ call }) => call.action === "takeover"))
    return { kind: "not_learned", reason: "A person used the browser in between." };
  return learn({
    task,
    startUrl: plan.startUrl,
    steps: (plan.steps as readonly Step[] | undefined) ?? null,
    actions,
    claim,
    writes: ledger.attribute(session.writes()),
  });
}

type PlanResult = Awaited<ReturnType<typeof followPlan>>;

/** From where the browser is now, without repeating anything that was already sent. */
async function followAgain(run: Run, objection: string): Promise<PlanResult> {
  const { session, ledger, signal } = run;
  const sent = ledger.attribute(session.writes());
  const reason = `${objection} The planner tried to fix this by repeating an action that had already sent data, which was prevented.`;
  const observation = await session.observe(signal);
  return await followPlan(run, { observation, reports: [], unanswered: null, ending: null }, (call) =>
    hasSentBefore(call, sent) ? endWith("unverified", reason, "WOULD_REPEAT") : null,
  );
}

interface Examination {
  readonly end: ErrandEnd;
  /** What the planner might still fix; null when there is nothing, or when another attempt could do harm. */
  readonly objection: string | null;
  readonly lesson?: Lesson | null;
}

/** Saves the evidence of the run; then checks the data against the schema and the claim against the site. */
async function examine(run: Run, { end, observation }: PlanResult): Promise<Examination> {
  const { errand, ledger, session, recorder } = run;
  const { reporter } = errand;
  if (!("failure" in end)) session.prepareVerification();
  // On a large page, what was decided last and what is saved take long together.
  await setImmediate();
  const saving = Promise.all([
    recorder.flush(),
    saveEvidence({ session, reporter, downloads: recorder.downloads, observation }),
  ]);
  // It is awaited below; until then a failure must not count as unhandled.
  saving.catch(() => {});
  if ("failure" in end) {
    await saving;
    return { end: fail(end, ledger, session), objection: null };
  }
  const problems = await findSchemaProblems(errand, end);
  if (end.extraction !== null || problems.length > 0) await saving;
  if (end.extraction !== null) await saveProvenance(end.extraction, { reporter, recorder });
  if (problems.length > 0) {
    const reason = `The data does not match output_schema: ${problems.join("; ")}.`;
    const objection = areWritesAccepted({ session, ledger }) ? reason : null;
    return { end: fail(endWith("output_schema_mismatch", reason), ledger, session), objection };
  }
  return await inSpan("execution.verify", {}, async (span) => {
    const examination = await reachVerdict(run, end, observation.url, saving);
    span?.set({ "errand.verified": examination.end.kind === "verified" });
    return examination;
  });
}

async function reachVerdict(run: Run, claim: Claim, lastUrl: string, saving: Promise<unknown>): Promise<Examination> {
  const { direction, ledger, meter, task, session, captured, begin, signal } = run;
  const { reporter } = run.errand;
  const { judge, criteria, recorded } = direction;
  meter.takeSinceLast();
  const writes = ledger.attribute(session.writes());
  const isDoubted = judge !== null || writes.length > 0;
  const seen = { claim, task, captured, steps: ledger.steps, writes };
  const { needed, others } = findPagesToRead(seen, isDoubted ? lastUrl : null);
  const held: Check[] = [
    ...(run.gate?.hasHeldBack === true ? [HELD_BACK] : []),
    ...(recorded === null ? [] : [checkWrites(recorded, writes)]),
  ];
  const look = async (urls: readonly string[]) => {
    const [live, freshPages] = await Promise.all([
      session.observe(signal),
      readFreshPages(urls, { ...seen, session }, signal),
      saving,
    ]);
    const verification: Verification = { claim, task, session, live, freshPages, captured, ledger, begin };
    const doubts = [...held, ...(judge === null ? [] : await checkAgainstTask(verification))];
    return { verification, doubts, verdict: await verify(verification, doubts) };
  };
  const lookedAt = run.clock.now();
  let found = await look(needed);
  if (!found.verdict.agreed && ((await isSavedLately(run, lookedAt, signal)) || others.length > 0))
    found = await look([...needed, ...others]);
  const { verification } = found;
  let { doubts, verdict } = found;
  if (verdict.agreed) {
    const stored = await checkStored(toCase(verification), session, signal);
    doubts = [...doubts, ...stored];
    if (stored.length > 0) verdict = await verify(verification, doubts);
  }
  // A model's opinion cannot outweigh what code found, so the judge is asked only when code found nothing.
  if (judge !== null && verdict.agreed) {
    const trial = await runInSlices(assembleTrial({ ...verification, criteria, picture: await session.screenshot() }));
    verdict = await verify(verification, [...doubts, ...(await judge.judge(trial, { meter, signal }))]);
  }
  countVerdict(verdict.agreed);
  await reporter.verification({ ...verdict, cost: toCost(meter.takeSinceLast()), total_cost: toCost(meter.total) });
  if (verdict.agreed) {
    const end = succeed(claim, verdict, verification.live, ledger, session);
    return { end, objection: null, lesson: takeLesson(run, claim) };
  }
  const ending = endWith("unverified", `The verifier did not agree. ${verdict.reason}`);
  // After a change that was refused or got no response, another attempt might make it twice.
  const objection = areWritesAccepted(verification) ? verdict.reason : null;
  return { end: fail(ending, ledger, session, verdict), objection };
}

const HELD_BACK: Check = {
  about: "What the run declared was sent",
  verdict: "contradicted",
  evidence: "It was held back, and not sent to the site.",
};

/** More than anybody reads; a run of fifty steps visits far fewer. */
const MAX_URLS = 200;

function succeed(
  { answer, extraction, facts }: Claim,
  { agreed, reason, checks }: Verdict,
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
  const notes = checks.flatMap(({ note }) => note ?? []);
  return { kind: "verified", reason: ["The errand was done, and every check agreed.", ...notes].join(" "), result };
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

/** How an error ends the run; null when it is our own bug. Throws the reason when the run was stopped from outside. */
function explainStop(error: unknown, { signal, limits }: Errand, deadline: AbortSignal): Ending | null {
  if (signal.aborted) {
    const { reason } = signal;
    if (reason instanceof StopReason && reason.kind === "canceled")
      return endWith("canceled", "The execution was canceled while it was running.");
    // Not the error: some waits report an abort with one of their own.
    throw reason;
  }
  if (error instanceof ModelFailure)
    return endWith("model_error", error.message, `MODEL_${error.kind.toUpperCase() as Uppercase<typeof error.kind>}`);
  if (deadline.aborted) {
    return endWith("timed_out", `The errand was not done after ${Math.round(limits.maxDurationMs / 1_000)} seconds.`);
  }
  if (error instanceof ApprovalRefused) return endWith(`approval_${error.kind}`, error.message);
  if (error instanceof PlannerRefusal) return endWith("unsupported_prompt", error.message);
  if (error instanceof TokensSpent) return endWith("step_limit", error.message, "TOKEN_LIMIT");
  if (error instanceof EvidenceNotKept) return endWith("internal_error", error.message, "EVIDENCE_NOT_KEPT");
  return error instanceof SessionLost ? endWith("site_error", error.message, "BROWSER_LOST") : null;
}
