import type { Logger } from "../lib/logger.ts";
import { Backoff } from "../lib/waiting.ts";

/** What every run needs. */
export type WorkerResource = "browser" | "model" | "artifacts";

/** Each throws while the resource is unavailable. */
export interface ReadinessChecks {
  checkBrowser(): Promise<void>;
  checkModel(signal: AbortSignal): Promise<void>;
  /** Whether artifacts can be stored. */
  checkArtifacts(): Promise<void>;
}

/** Keeps the worker from claiming what it could not run: queued executions lose nothing by waiting, and others may run them. */
export interface Readiness {
  /** Resources known to be unavailable now. */
  listUnavailable(): readonly WorkerResource[];
  /** A run has found the resource unavailable: check it before the next claim. */
  requireCheck(resource: WorkerResource): void;
  /** Resolves when everything is available, or the signal aborts. */
  waitUntilReady(signal: AbortSignal): Promise<void>;
}

const UNAVAILABLE_MESSAGES: Record<WorkerResource, string> = {
  browser: "No browser available; not claiming executions, retrying",
  model: "Model unavailable; not claiming executions, retrying",
  artifacts: "Artifacts cannot be stored; not claiming executions, retrying",
};

/** How long a successful check of the artifact storage is trusted: a run that finds it broken has already acted. */
export const RECHECK_MS = 30_000;

export function watchReadiness(checks: ReadinessChecks, logger: Logger, recheckMs: number): Readiness {
  let artifactsCheckedAtMs = 0;
  // Not the model: checking it costs money, so it is trusted until a run fails.
  const unchecked = new Set<WorkerResource>(["browser", "artifacts"]);
  const unavailable = new Set<WorkerResource>();

  function check(resource: WorkerResource, signal: AbortSignal): Promise<void> {
    switch (resource) {
      case "browser":
        return checks.checkBrowser();
      case "model":
        return checks.checkModel(signal);
      case "artifacts":
        return checks.checkArtifacts();
    }
  }

  async function waitUntilAvailable(resource: WorkerResource, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff({ firstMs: 1_000, maxMs: 30_000 });
    while (unchecked.has(resource) && !signal.aborted) {
      try {
        await check(resource, signal);
        unchecked.delete(resource);
        if (resource === "artifacts") artifactsCheckedAtMs = performance.now();
        unavailable.delete(resource);
      } catch (error) {
        if (signal.aborted) return;
        unavailable.add(resource);
        logger.error({ err: error }, UNAVAILABLE_MESSAGES[resource]);
        await backoff.wait(signal);
      }
    }
  }

  return {
    listUnavailable: () => [...unavailable],
    requireCheck: (resource) => void unchecked.add(resource),
    async waitUntilReady(signal) {
      if (performance.now() - artifactsCheckedAtMs > recheckMs) unchecked.add("artifacts");
      for (const resource of unchecked) await waitUntilAvailable(resource, signal);
    },
  };
}
