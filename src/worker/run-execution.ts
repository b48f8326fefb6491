import { randomUUID } from "node:crypto";
import { StopReason } from "../agent/loop/errand.ts";
import type { Outcome } from "../executions/execution.ts";
import { policyViolation, SIGNED_OUT_BEFORE_RUN } from "../executions/outcomes.ts";
import type { Claim } from "../executions/queue.ts";
import { isOnHosts } from "../lib/hosts.ts";
import type { Logger } from "../lib/logger.ts";
import { inSpan } from "../lib/tracing.ts";
import { attemptErrand } from "./attempt.ts";
import { type Conclusion, conclude } from "./conclusion.ts";
import { holdLease } from "./lease.ts";
import { isModelUnavailable, type WorkerResource } from "./readiness.ts";
import { createRetryWhileUnavailable } from "./retry-while-unavailable.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { listRunHosts } from "./run-hosts.ts";
import { createRunReporter } from "./run-reporter.ts";
import { createRunSignIn } from "./run-sign-in.ts";
import { type RunRecorder, recordRun } from "./run-telemetry.ts";

export interface ClaimedRun {
  claim: Claim;
  /** By `performance.now()`, from before the claim was sent. */
  claimedAtMs: number;
}

export interface RunSignals {
  /** The run must stop, because the worker does. */
  stopRuns: AbortSignal;
  /** From here on its end is not tried to be written down any more. */
  giveUp: AbortSignal;
}

export interface RunReport {
  /** What stands in the database now. */
  settled: "finished" | "put back" | "lost";
  /** What it could not have: nothing else needs to be tried before that is there again. */
  missing: readonly WorkerResource[];
}

/** Carries out what was claimed, up to its end or back to its place in the queue. */
export function runExecution(
  claimed: ClaimedRun,
  dependencies: RunDependencies,
  signals: RunSignals,
): Promise<RunReport> {
  return recordRun(claimed, dependencies, (follower) => runClaim(claimed, dependencies, signals, follower));
}

async function runClaim(
  { claim, claimedAtMs }: ClaimedRun,
  dependencies: RunDependencies,
  { stopRuns, giveUp }: RunSignals,
  { logger, end }: RunRecorder,
): Promise<RunReport> {
  const { queue, updates, leaseMs, isUnavailable } = dependencies;
  const { id } = claim.execution;
  const stopping = new AbortController();
  // The first reason counts: aborting again changes nothing.
  const stop = (reason: StopReason) => stopping.abort(reason);
  await using _lease = holdLease({
    executionId: id,
    fence: claim.fence,
    leaseMs,
    claimedAtMs,
    queue,
    updates,
    logger,
    stop,
  });
  const onStopRuns = () => stop(new StopReason("shutting_down"));
  stopRuns.addEventListener("abort", onStopRuns);
  if (stopRuns.aborted) onStopRuns();
  try {
    const { conclusion, steps, missing, cleared } = await executeClaim({
      claim,
      dependencies,
      logger,
      stopping,
      stop,
    });
    const persist = createRetryWhileUnavailable(giveUp, isUnavailable);
    const report = await inSpan("execution.finish", {}, () => settle(claim, conclusion, queue, persist));
    end({ report, conclusion, steps });
    // Its browser is being killed already; whoever waits for the end need not wait for that.
    await cleared;
    return { settled: report, missing };
  } finally {
    stopRuns.removeEventListener("abort", onStopRuns);
  }
}

interface ClaimContext {
  claim: Claim;
  dependencies: RunDependencies;
  logger: Logger;
  stopping: AbortController;
  stop(reason: StopReason): void;
}

interface ClaimResult {
  conclusion: Conclusion;
  steps: number;
  missing: readonly WorkerResource[];
  cleared: Promise<void>;
}

/** A fence goes up by one when it is taken and by one when it is put back: so it has been tried three times. */
const LAST_RETRIED_FENCE = 3;

const NOTHING_TO_CLOSE = Promise.resolve();

async function executeClaim({ claim, dependencies, logger, stopping, stop }: ClaimContext): Promise<ClaimResult> {
  const { execution, fence, application } = claim;
  const allowedHosts = listRunHosts(application, execution);
  const refusal = findPolicyViolation(claim, allowedHosts);
  if (refusal !== null) {
    const conclusion: Conclusion = { kind: "finish", outcome: refusal };
    return { conclusion, steps: 0, missing: [], cleared: NOTHING_TO_CLOSE };
  }

  const { queue, artifacts, planner, judge, findOutputProblems, limits, clock, openSession } = dependencies;
  const { signal } = stopping;
  const persist = createRetryWhileUnavailable(signal, dependencies.isUnavailable);
  const reporter = createRunReporter({ executionId: execution.id, fence, queue, artifacts, logger, persist, stop });
  const signIn = createRunSignIn({ ...dependencies, claim, persist, signal, logger });
  const { prompt, startUrl, outputSchema } = execution;
  const task = { prompt, startUrl, outputSchema, now: clock.now() };
  const { end, cleared, ...facts } = await attemptErrand({
    errand: { task, planner, judge, findOutputProblems, limits, reporter, clock },
    runErrand: signIn.run,
    openSession: (opening) =>
      inSpan("browser.open", {}, () =>
        openSession({ allowedHosts, access: application.access, state: signIn.state }, opening),
      ),
    beforeClosing: signIn.keep,
    async begin() {
      const isHeld = await persist(() => queue.begin(execution.id, fence));
      if (!isHeld) stop(new StopReason("lease_lost"));
      return isHeld;
    },
    signal,
    stop,
    stopPatienceMs: dependencies.stopPatienceMs,
    logger,
  });

  const stopReason = signal.reason instanceof StopReason ? signal.reason.kind : null;
  if (facts.hadNoBrowser && !facts.mayHaveBegun && stopReason === null) {
    const isMissing = await isBrowserUnavailable(dependencies, logger);
    // Nothing has been done, so it can be tried again, but not for ever: it may be the errand that no browser survives.
    if (isMissing || fence <= LAST_RETRIED_FENCE) {
      return { conclusion: { kind: "put back" }, steps: 0, missing: isMissing ? ["browser"] : [], cleared };
    }
  }
  const errorId = randomUUID();
  const conclusion = conclude(end, { ...facts, stopReason, errorId, sideEffects: reporter.sideEffects });
  if (end.kind === "threw" && stopReason === null) {
    logger.error({ err: end.error, error_id: errorId }, "the execution failed for a reason of our own");
  }
  const missing: WorkerResource[] = [
    ...(isModelUnavailable(conclusion) ? (["model"] as const) : []),
    ...(reporter.hasLostArtifacts ? (["artifacts"] as const) : []),
  ];
  return { conclusion, steps: reporter.steps, missing, cleared };
}

/** What stands against it before anything is done. */
function findPolicyViolation({ execution, connectionState }: Claim, allowedHosts: string[]): Outcome | null {
  if (connectionState !== "ACTIVE") return SIGNED_OUT_BEFORE_RUN;
  const { startUrl } = execution;
  if (startUrl === null || isOnHosts(allowedHosts, startUrl)) return null;
  const { host } = new URL(startUrl);
  return policyViolation(
    `The start address is at ${host}, which the application does not allow.`,
    `The application allows ${allowedHosts.join(", ")}. Allow ${host} for it, or start elsewhere. Nothing was done.`,
  );
}

async function isBrowserUnavailable({ checkBrowser }: RunDependencies, logger: Logger): Promise<boolean> {
  try {
    await checkBrowser();
    return false;
  } catch (error) {
    logger.error({ err: error }, "no browser can be had: the execution goes back to the queue");
    return true;
  }
}

async function settle(
  { execution, fence }: Claim,
  conclusion: Conclusion,
  queue: RunDependencies["queue"],
  persist: ReturnType<typeof createRetryWhileUnavailable>,
): Promise<RunReport["settled"]> {
  switch (conclusion.kind) {
    case "nothing":
      return "lost";
    case "put back":
      return (await persist(() => queue.putBack(execution.id, fence))) ? "put back" : "lost";
    case "finish":
      return (await persist(() => queue.finish(execution.id, fence, conclusion.outcome))) === null
        ? "lost"
        : "finished";
  }
}
