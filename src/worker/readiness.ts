import type { Logger } from "../lib/logger.ts";
import { Backoff } from "../lib/waiting.ts";

/** What runs need. One with a recipe needs no model. */
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
  /**
   * Resolves when everything but the model is available, or the signal aborts. The model is checked in the background;
   * `onModelBack` is called when it is available again.
   */
  waitUntilReady(signal: AbortSignal): Promise<void>;
  /** False while the model is known to be unavailable or has to be checked. */
  hasModel(): boolean;
}

const UNAVAILABLE_MESSAGES: Record<WorkerResource, string> = {
  browser: "No browser available; not claiming executions, retrying",
  model: "Model unavailable; claiming only executions with a recipe, retrying",
  artifacts: "Artifacts cannot be stored; not claiming executions, retrying",
};

/** How long a successful check of the artifact storage is trusted: a run that finds it broken has already acted. */
export const RECHECK_MS = 30_000;

/** A check of the model is small, and a queue may be waiting for it. */
const MAX_PAUSE_MS: Record<WorkerResource, number> = { browser: 30_000, model: 10_000, artifacts: 30_000 };

interface ReadinessOptions {
  recheckMs: number;
  onModelBack(): void;
}

export function watchReadiness(
  checks: ReadinessChecks,
  logger: Logger,
  { recheckMs, onModelBack }: ReadinessOptions,
): Readiness {
  let artifactsCheckedAtMs = 0;
  let isCheckingModel = false;
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
    const backoff = new Backoff({ firstMs: 1_000, maxMs: MAX_PAUSE_MS[resource] });
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

  async function checkModelInBackground(signal: AbortSignal): Promise<void> {
    if (isCheckingModel || !unchecked.has("model")) return;
    isCheckingModel = true;
    await waitUntilAvailable("model", signal);
    isCheckingModel = false;
    if (!signal.aborted) onModelBack();
  }

  return {
    hasModel: () => !unchecked.has("model"),
    listUnavailable: () => [...unavailable],
    requireCheck: (resource) => void unchecked.add(resource),
    async waitUntilReady(signal) {
      if (performance.now() - artifactsCheckedAtMs > recheckMs) unchecked.add("artifacts");
      void checkModelInBackground(signal);
      for (const resource of unchecked) if (resource !== "model") await waitUntilAvailable(resource, signal);
    },
  };
}
