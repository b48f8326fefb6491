import { randomUUID } from "node:crypto";
import type { SideEffect } from "../agent/actions/side-effects.ts";
import { EvidenceNotKept, type NewArtifact, type Reporter, StopReason } from "../agent/loop/errand.ts";
import type { Renewal } from "../connections/sign-in/renew-sign-in.ts";
import type { ArtifactWriter, NewArtifactRecord } from "../executions/artifacts.ts";
import type { QueueStore, RunEventType } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { toBoundedJson } from "../lib/storable.ts";
import type { RetryWhileUnavailable } from "./retry-while-unavailable.ts";

export interface RunReporter extends Reporter {
  /** The user's sign-in had expired, and Errand tried to sign in with the stored credentials. */
  signIn(renewal: Extract<Renewal, { outcome: "renewed" | "failed" }>): Promise<void>;
  /** Side effects of all steps so far, for a run that cannot report them itself any more. */
  readonly sideEffects: readonly SideEffect[];
  /** Number of steps so far. */
  readonly steps: number;
  /** Whether an artifact could not be stored. */
  readonly hasLostArtifacts: boolean;
}

interface ReporterOptions {
  executionId: string;
  fence: number;
  queue: Pick<QueueStore, "appendEvent">;
  artifacts: ArtifactWriter;
  logger: Logger;
  /** Retries while the database is unavailable, for as long as the run may continue. */
  retry: RetryWhileUnavailable;
  stop(reason: StopReason): void;
}

const EVENT_MAX_BYTES = 64 * 1024;
export const ARTIFACTS_MAX_COUNT = 500;
export const ARTIFACTS_MAX_BYTES = 200 * 1024 * 1024;

/** Stores the events and artifacts of a run while its lease is held. */
export function createRunReporter(options: ReporterOptions): RunReporter {
  const { executionId, fence, queue, artifacts, logger, retry, stop } = options;
  const sideEffects: SideEffect[] = [];
  let steps = 0;
  let storedCount = 0;
  let storedBytes = 0;
  let hasLostArtifacts = false;

  function requireHeld(isHeld: boolean): void {
    if (isHeld) return;
    const reason = new StopReason("lease_lost");
    stop(reason);
    throw reason;
  }

  async function append(type: RunEventType, report: object, artifact: NewArtifactRecord | null = null): Promise<void> {
    const data = toBoundedJson(report, EVENT_MAX_BYTES);
    const isHeld = await retry(() => queue.appendEvent(executionId, fence, { type, data, artifact }));
    // A file without a record is found and removed later anyway.
    if (!isHeld && artifact !== null) await artifacts.removeFile(executionId, artifact.id).catch(() => {});
    requireHeld(isHeld);
  }

  /** Stores an artifact with a new id. Null when it is one too many, or could not be stored. */
  async function store<Stored>(
    artifact: NewArtifact,
    write: (artifact: NewArtifact & { id: string }) => Promise<Stored>,
  ): Promise<Stored | null> {
    const { byteLength } = artifact.data;
    if (storedCount >= ARTIFACTS_MAX_COUNT || storedBytes + byteLength > ARTIFACTS_MAX_BYTES) return null;
    storedCount += 1;
    storedBytes += byteLength;
    // Generated here, so that a retry after a lost response writes the same artifact.
    const identified = { ...artifact, id: randomUUID() };
    try {
      return await retry(() => write(identified));
    } catch (error) {
      if (error instanceof StopReason || !(error instanceof Error)) throw error;
      lose(artifact, error);
      return null;
    }
  }

  /** A run can do without screenshots, but not without the other evidence for its result. */
  function lose({ kind, name }: NewArtifact, error: Error): void {
    // Logged once: a run stores dozens of artifacts.
    if (!hasLostArtifacts) logger.error({ err: error, kind, name }, "Could not store an artifact of the run");
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

    async step(step, screenshot = null) {
      steps += 1;
      sideEffects.push(...step.side_effects);
      const stored = screenshot && (await store(screenshot, (artifact) => artifacts.writeFile(executionId, artifact)));
      const id = stored?.id ?? step.screenshot;
      await append("step", { ...step, screenshot: id }, stored);
      return { screenshot: id };
    },

    verification: (verdict) => append("verification", verdict),
    signIn: (renewal) => append("sign_in", renewal),

    async saveArtifact(artifact) {
      const id = await store(artifact, async (identified) => {
        requireHeld(await artifacts.write(executionId, fence, identified));
        return identified.id;
      });
      return { id };
    },
  };
}
