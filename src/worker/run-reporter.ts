import { randomUUID } from "node:crypto";
import { type SideEffect } from "../agent/actions/side-effects.ts";
import { EvidenceNotKept, type NewArtifact, type Reporter, StopReason } from "../agent/loop/errand.ts";
import type { ArtifactKeeper } from "../executions/artifacts.ts";
import type { QueueStore } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { toBoundedJson } from "../lib/storable.ts";

export interface RunReporter extends Reporter {
  /** Everything that the steps have reported so far, for a run that cannot tell any more. */
  readonly sideEffects: readonly SideEffect[];
  /** How many there have been. */
  readonly steps: number;
  /** Whether something could not be kept, for want of a place. */
  readonly hasLostArtifacts: boolean;
}

interface ReporterOptions {
  executionId: string;
  fence: number;
  queue: Pick<QueueStore, "appendEvent">;
  artifacts: ArtifactKeeper;
  logger: Logger;
  /** Tries again while the database is out of reach, for as long as the run may go on. */
  persist<Result>(write: () => Promise<Result>): Promise<Result>;
  stop(reason: StopReason): void;
}

const EVENT_MAX_BYTES = 64 * 1024;
export const ARTIFACTS_MAX_COUNT = 500;
export const ARTIFACTS_MAX_BYTES = 200 * 1024 * 1024;

/** Writes down what a run does, as long as the run is ours. */
export function createRunReporter(options: ReporterOptions): RunReporter {
  const { executionId, fence, queue, artifacts, logger, persist, stop } = options;
  const sideEffects: SideEffect[] = [];
  let steps = 0;
  let keptCount = 0;
  let keptBytes = 0;
  let hasLostArtifacts = false;

  function requireHeld(isHeld: boolean): void {
    if (isHeld) return;
    const reason = new StopReason("lease_lost");
    stop(reason);
    throw reason;
  }

  async function append(type: "step" | "verification", report: object): Promise<void> {
    const data = toBoundedJson(report, EVENT_MAX_BYTES);
    requireHeld(await persist(() => queue.appendEvent(executionId, fence, { type, data })));
  }

  /** Pictures are for people to look at; without the rest nobody could tell what a completed run rests on. */
  function lose({ kind, name }: NewArtifact, error: Error): void {
    // One line is enough: a run keeps dozens.
    if (!hasLostArtifacts) logger.error({ err: error, kind, name }, "artifacts of the run cannot be kept");
    hasLostArtifacts = true;
    if (kind !== "screenshot") throw new EvidenceNotKept(name, { cause: error });
  }

  return {
    sideEffects,

    get hasLostArtifacts() {
      return hasLostArtifacts;
    },

    get steps() {
      return steps;
    },

    async step(step) {
      steps += 1;
      sideEffects.push(...step.side_effects);
      await append("step", step);
    },

    verification: (verdict) => append("verification", verdict),

    async keep(artifact) {
      const { byteLength } = artifact.data;
      if (keptCount >= ARTIFACTS_MAX_COUNT || keptBytes + byteLength > ARTIFACTS_MAX_BYTES) return { id: null };
      keptCount += 1;
      keptBytes += byteLength;
      // Chosen here: tried again after its answer was lost, it is still the same artifact.
      const id = randomUUID();
      try {
        requireHeld(await persist(() => artifacts.keep(executionId, fence, { ...artifact, id })));
        return { id };
      } catch (error) {
        if (error instanceof StopReason || !(error instanceof Error)) throw error;
        lose(artifact, error);
        return { id: null };
      }
    },
  };
}
