import type { Logger } from "../lib/logger.ts";
import { Backoff } from "../lib/waiting.ts";
import type { Conclusion } from "./conclusion.ts";

/** What no run can do without. */
export type WorkerResource = "browser" | "model" | "artifacts";

/** Each throws while it cannot be had. */
export interface ReadinessChecks {
  checkBrowser(): Promise<void>;
  checkModel(signal: AbortSignal): Promise<void>;
  /** Whether there is a place for what runs keep. */
  checkArtifacts(): Promise<void>;
}

/** Takes nothing that could not be run: what waits in the queue loses nothing, and others may be able to run it. */
export interface Readiness {
  /** What is known to be missing right now. */
  missing(): readonly WorkerResource[];
  /** A run has found that it is missing. */
  doubt(means: WorkerResource): void;
  /** Until everything is there, or the signal aborts. */
  untilSure(signal: AbortSignal): Promise<void>;
}

const UNAVAILABLE_MESSAGES: Record<WorkerResource, string> = {
  browser: "no browser can be had, so nothing is run: trying again",
  model: "the model cannot be had, so nothing is run: trying again",
  artifacts: "artifacts cannot be kept, so nothing is run: trying again",
};

/** How old a good answer about the place for artifacts may be: a run that finds it gone has acted by then. */
export const RECHECK_MS = 30_000;

export function watchReadiness(checks: ReadinessChecks, logger: Logger, recheckMs: number): Readiness {
  let artifactsSureAtMs = 0;
  // Asking a model costs something: it is trusted until it fails.
  const doubtful = new Set<WorkerResource>(["browser", "artifacts"]);
  const missing = new Set<WorkerResource>();

  function check(means: WorkerResource, signal: AbortSignal): Promise<void> {
    if (means === "browser") return checks.checkBrowser();
    return means === "model" ? checks.checkModel(signal) : checks.checkArtifacts();
  }

  async function untilThere(means: WorkerResource, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff({ firstMs: 1_000, maxMs: 30_000 });
    while (doubtful.has(means) && !signal.aborted) {
      try {
        await check(means, signal);
        doubtful.delete(means);
        if (means === "artifacts") artifactsSureAtMs = performance.now();
        missing.delete(means);
      } catch (error) {
        if (signal.aborted) return;
        missing.add(means);
        logger.error({ err: error }, UNAVAILABLE_MESSAGES[means]);
        await backoff.wait(signal);
      }
    }
  }

  return {
    missing: () => [...missing],
    doubt: (means) => void doubtful.add(means),
    async untilSure(signal) {
      if (performance.now() - artifactsSureAtMs > recheckMs) doubtful.add("artifacts");
      for (const means of doubtful) await untilThere(means, signal);
    },
  };
}

/** What one bad answer says nothing about: a prompt that is too long, calls that make no sense. */
const MODEL_RESPONDED_CODES = ["MODEL_REJECTED", "MODEL_UNUSABLE"];

/** Whether a run has ended for want of the model, so that the next one would, too. */
export function isModelUnavailable(conclusion: Conclusion): boolean {
  if (conclusion.kind !== "finish" || conclusion.outcome.status !== "FAILED") return false;
  const { terminal, error } = conclusion.outcome;
  return terminal.status === "model_error" && !MODEL_RESPONDED_CODES.includes(error.code);
}
