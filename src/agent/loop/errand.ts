import type { BrowserSession } from "../../browser/session/browser-session.ts";
import type { ExecutionResult, Failure } from "../../contract/execution.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Cost } from "../../models/usage.ts";
import type { SideEffect } from "../actions/side-effects.ts";
import type { FindOutputProblems, Task } from "../grounding/claim.ts";
import type { Planner } from "../planner/planner.ts";
import type { Verdict } from "../verifier/check.ts";
import type { Judge } from "../verifier/judge.ts";
import type { SignInProbe } from "./sign-in-probe.ts";

/** One errand, from the first look to the verdict. */
export interface Errand {
  readonly task: Task;
  readonly planner: Planner;
  /** Judges what code alone cannot; null without a model: then the plan's own conditions have to do. */
  readonly judge: Judge | null;
  /** Opens the browser; not called when the planner refuses the task. */
  readonly openSession: (signal: AbortSignal) => Promise<BrowserSession>;
  /** Ends the browser; called once for each that was opened. The outcome need not wait until everything is cleared away. */
  readonly releaseSession: (session: BrowserSession) => Promise<void>;
  /** Called once, before the first request leaves. False: this run may not go on. */
  readonly begin: () => Promise<boolean>;
  /** For a session that is signed in as the user: how to tell that it still is. Null when it is not. */
  readonly signIn: SignInProbe | null;
  /** What is wrong with data under an `output_schema`; empty when nothing is. Neither can be trusted to be harmless. */
  readonly findOutputProblems: FindOutputProblems;
  readonly limits: ErrandLimits;
  readonly reporter: Reporter;
  readonly clock: Clock;
  /** Aborted with a StopReason. */
  readonly signal: AbortSignal;
}

export interface ErrandLimits {
  readonly maxSteps: number;
  readonly maxDurationMs: number;
  /** Of models, sent and received, the verifier's included. */
  readonly maxTokens: number;
}

/** Who follows the run. A call fails when the run has been taken from us, and then it ends. */
export interface Reporter {
  step(step: StepReport): Promise<void>;
  verification(verification: VerificationReport): Promise<void>;
  /**
   * Without an id when it could not be kept: the run has kept as much as it may, or there is no place for a picture.
   * Without a place for anything else it fails with EvidenceNotKept.
   */
  keep(artifact: NewArtifact): Promise<{ readonly id: string | null }>;
}

export interface NewArtifact {
  readonly kind: "screenshot" | "page" | "network" | "provenance" | "download";
  /** Without a path, and without anything from a page that has not been made harmless. */
  readonly name: string;
  readonly contentType: string;
  readonly data: Buffer;
}

/** What happened in one step, as it is told to people: an event on the wire. Secrets are masked. */
export interface StepReport {
  readonly step: number;
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly why: string;
  readonly outcome: "ok" | "failed";
  readonly message: string | null;
  readonly url: string;
  readonly title: string;
  readonly side_effects: readonly SideEffect[];
  readonly screenshot: string | null;
  /** What deciding on this step took of a model; null without one. */
  readonly cost: Cost | null;
}

/** The verdict as it is told to people. There are two when the planner was given a second chance. */
interface VerificationReport extends Verdict {
  /** What the verifier's model took. */
  readonly cost: Cost | null;
  /** What all models of the run took. */
  readonly total_cost: Cost | null;
}

/** How a run ended, and what all its models took. */
export type ErrandOutcome = ErrandEnd & { readonly cost: Cost | null };

export type ErrandEnd =
  | { readonly kind: "verified"; readonly reason: string; readonly result: ExecutionResult }
  | {
      readonly kind: "failed";
      readonly failure: Failure;
      /** In capitals. */
      readonly code: string;
      readonly reason: string;
      /** For a developer: what to do next. */
      readonly message: string;
      readonly sideEffects: readonly SideEffect[];
      readonly verdict: Verdict | null;
    };

/** There is no place for what the run must keep. The message holds nothing from a page. */
export class EvidenceNotKept extends Error {
  override readonly name = "EvidenceNotKept";

  constructor(artifact: string, options: ErrorOptions) {
    super(`What the run has found cannot be kept: there is no place for ${artifact}.`, options);
  }
}

/** Why a run is stopped from outside: the reason of its signal. */
export class StopReason extends Error {
  readonly kind: "canceled" | "lease_lost" | "shutting_down";

  constructor(kind: StopReason["kind"]) {
    super(`The run was stopped: ${kind}.`);
    this.kind = kind;
  }
}
