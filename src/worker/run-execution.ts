import { randomUUID } from "node:crypto";
import { StopReason } from "../agent/loop/errand.ts";
import type { Outcome } from "../executions/execution.ts";
import { policyViolation, SIGNED_OUT_BEFORE_RUN } from "../executions/outcomes.ts";
import type { Claim } from "../executions/queue.ts";
import { isOnHosts } from "../lib/hosts.ts";
import type { Logger } from "../lib/logger.ts";
import { inSpan } from "../lib/tracing.ts";
import { attemptErrand } from "./attempt.ts";
import { type Conclusion, conclude, isModelUnavailable } from "./conclusion.ts";
import { holdLease } from "./lease.ts";
import { shareView } from "./live-view.ts";
import type { WorkerResource } from "./readiness.ts";
import { createRetryWhileUnavailable, type RetryWhileUnavailable } from "./retry-while-unavailable.ts";
import { createRunBudget } from "./run-budget.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { listRunHosts } from "./run-hosts.ts";
import { createRunPeople, type FreeSlotWhile } from "./run-people.ts";
import { createRunRecipe } from "./run-recipe.ts";
import { createRunReporter } from "./run-reporter.ts";
import { createRunSignIn } from "./run-sign-in.ts";
import { type ClaimedRun, recordRun } from "./run-telemetry.ts";

/** What a run needs of the process that runs it. */
export interface RunHost {
  freeSlotWhile: FreeSlotWhile;
  /** Runs must stop because the worker stops. */
  stopRuns: AbortSignal;
  /** Storing the end of a run is no longer retried. */
  giveUp: AbortSignal;
}

export interface RunReport {
  /** What was stored. */
  settled: "finished" | "put back" | "lost";
  /** Resources that were unavailable: nothing more needs to be claimed until they are back. */
  unavailable: readonly WorkerResource[];
}

/** Runs a claimed execution until it has ended or is back in the queue. */
export function runExecution(
  claimed: ClaimedRun,
  dependencies: RunDependencies,
  { stopRuns, giveUp, freeSlotWhile }: RunHost,
): Promise<RunReport> {
  const { claim, claimedAtMs } = claimed;
  const { queue, updates, leaseMs, isUnavailable } = dependencies;

  return recordRun(claimed, dependencies, async ({ logger, end }) => {
    const stopping = new AbortController();
    // The first reason counts: aborting again changes nothing.
    const stop = (reason: StopReason) => stopping.abort(reason);
    const { fence, execution } = claim;
    await using _lease = holdLease({
      executionId: execution.id,
      fence,
      leaseMs,
      claimedAtMs,
      queue,
      updates,
      logger,
      stop,
    });
    if (claim.cancelRequested) stop(new StopReason("canceled"));
    const onStopRuns = () => stop(new StopReason("shutting_down"));
    stopRuns.addEventListener("abort", onStopRuns);
    if (stopRuns.aborted) onStopRuns();
    try {
      const { conclusion, steps, unavailable, closed } = await executeClaim({
        claim,
        dependencies,
        logger,
        stopping,
        stop,
        freeSlotWhile,
      });
      const retry = createRetryWhileUnavailable(giveUp, isUnavailable);
      const settled = await inSpan("execution.finish", {}, () => settle(claim, conclusion, queue, retry));
      end({ settled, conclusion, steps });
      // Only after the end is stored: nobody who waits for the end has to wait for the browser to close.
      await closed;
      return { settled, unavailable };
    } finally {
      stopRuns.removeEventListener("abort", onStopRuns);
    }
  });
}

interface ClaimContext {
  claim: Claim;
  dependencies: RunDependencies;
  logger: Logger;
  stopping: AbortController;
  stop(reason: StopReason): void;
  freeSlotWhile: FreeSlotWhile;
}

interface ClaimResult {
  conclusion: Conclusion;
  steps: number;
  unavailable: readonly WorkerResource[];
  /** Resolves when its browsers are closed. */
  closed: Promise<void>;
}

/** Claiming and putting back each increase the fence by one, so the three tries have the fences 1, 3 and 5. */
const LAST_RETRIED_FENCE = 3;

async function executeClaim(context: ClaimContext): Promise<ClaimResult> {
  const { claim, dependencies, logger, stopping, stop, freeSlotWhile } = context;
  const { execution, fence, application } = claim;
  const allowedHosts = listRunHosts(application, execution);
  const rejection = findRejection(claim, allowedHosts);
  if (rejection !== null) {
    const conclusion: Conclusion = { kind: "finish", outcome: rejection };
    return { conclusion, steps: 0, unavailable: [], closed: Promise.resolve() };
  }

  const { queue, artifacts, planner, judge, findOutputProblems, limits, clock, openSession } = dependencies;
  const { signal } = stopping;
  const retry = createRetryWhileUnavailable(signal, dependencies.isUnavailable);
  const reporter = createRunReporter({ executionId: execution.id, fence, queue, artifacts, logger, retry, stop });
  using view = shareView({ ...dependencies.liveView, ...dependencies, executionId: execution.id, fence, logger });
  const signIn = createRunSignIn({ ...dependencies, claim, reporter, retry, signal, logger });
  const budget = createRunBudget({ ...dependencies, claim, retry, stop });
  const people = createRunPeople({ ...dependencies, claim, budget, view, freeSlotWhile, retry, stop });
  const recipe = createRunRecipe({ ...dependencies, claim, logger });
  await recipe.announce();
  const { startUrl, outputSchema } = execution;
  const task = { prompt: recipe.prompt, startUrl, outputSchema, now: clock.now() };
  const startedMs = performance.now();
  const { end, closed, ...facts } = await attemptErrand({
    errand: {
      ...{ task, planner, judge, findOutputProblems, limits, people, takeover: view, reporter, clock },
      recipe: recipe.recipe,
    },
    runErrand: signIn.run,
    openSession: (opening) =>
      inSpan("browser.open", {}, async () => {
        const rules = { allowedHosts, access: application.access, state: signIn.state };
        const session = await openSession(rules, opening);
        view.share(session);
        return session;
      }),
    beforeClosing: signIn.saveRefreshed,
    async begin() {
      const isHeld = await retry(() => queue.begin(execution.id, fence));
      if (!isHeld) stop(new StopReason("lease_lost"));
      return isHeld;
    },
    signal,
    stop,
    stopTimeoutMs: dependencies.stopTimeoutMs,
    logger,
  });

  const stopReason = signal.reason instanceof StopReason ? signal.reason.kind : null;
  if (facts.hadNoBrowser && !facts.mayHaveBegun && stopReason === null) {
    const isUnavailable = await isBrowserUnavailable(dependencies, logger);
    // Nothing has been done, so it can be retried, but not forever: this execution may be what crashes the browser.
    if (isUnavailable || fence <= LAST_RETRIED_FENCE) {
      return { conclusion: { kind: "put back" }, steps: 0, unavailable: isUnavailable ? ["browser"] : [], closed };
    }
  }
  const errorId = randomUUID();
  const conclusion = conclude(end, { ...facts, stopReason, errorId, sideEffects: reporter.sideEffects });
  await recipe.keep({ end, conclusion, stopReason, durationMs: performance.now() - startedMs });
  if (end.kind === "threw" && stopReason === null) {
    logger.error({ err: end.error, error_id: errorId }, "Execution failed with an internal error");
  }
  const unavailable: WorkerResource[] = [
    ...(isModelUnavailable(conclusion) ? (["model"] as const) : []),
    ...(reporter.hasLostArtifacts ? (["artifacts"] as const) : []),
  ];
  return { conclusion, steps: reporter.steps, unavailable, closed };
}

/** Why it must not run, checked before anything is done. */
function findRejection({ execution, connectionState }: Claim, allowedHosts: string[]): Outcome | null {
  if (connectionState !== "ACTIVE") return SIGNED_OUT_BEFORE_RUN;
  const { startUrl } = execution;
  if (startUrl === null || isOnHosts(allowedHosts, startUrl)) return null;
  const { host } = new URL(startUrl);
  return policyViolation(
    `start_url is on ${host}, which the application does not allow.`,
    `The application allows ${allowedHosts.join(", ")}. Add ${host} to its allowed hosts, or use another start_url. Nothing was done.`,
  );
}

async function isBrowserUnavailable({ checkBrowser }: RunDependencies, logger: Logger): Promise<boolean> {
  try {
    await checkBrowser();
    return false;
  } catch (error) {
    logger.error({ err: error }, "No browser available; putting the execution back into the queue");
    return true;
  }
}

async function settle(
  { execution, fence }: Claim,
  conclusion: Conclusion,
  queue: RunDependencies["queue"],
  retry: RetryWhileUnavailable,
): Promise<RunReport["settled"]> {
  switch (conclusion.kind) {
    case "nothing":
      return "lost";
    case "put back":
      return (await retry(() => queue.putBack(execution.id, fence))) ? "put back" : "lost";
    case "finish":
      return (await retry(() => queue.finish(execution.id, fence, conclusion.outcome))) === null ? "lost" : "finished";
  }
}
