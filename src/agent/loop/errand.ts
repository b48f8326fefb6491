import type { Box } from "../../browser/observation/observation.ts";
import type { BrowserSession } from "../../browser/session/browser-session.ts";
import type { ExecutionResult } from "../../contract/execution.ts";
import type { ExecutionErrorCode, Failure } from "../../contract/execution-error.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Cost } from "../../models/usage.ts";
import type { Lesson, RecipeOutcome, RecipeUse } from "../../recipes/recipe.ts";
import type { SideEffect } from "../actions/side-effects.ts";
import type { People, Takeover } from "../gate/people.ts";
import type { FindOutputProblems, Task } from "../grounding/claim.ts";
import type { Planner } from "../planner/planner.ts";
import type { Verdict } from "../verifier/check.ts";
import type { Judge } from "../verifier/judge.ts";
import type { SignInProbe } from "./sign-in-probe.ts";

/** Everything one errand needs, from planning to the verdict. */
export interface Errand {
  readonly task: Task;
  readonly planner: Planner;
  /** Judges what code alone cannot. Null without a model: then only the plan's own conditions are checked. */
  readonly judge: Judge | null;
  /** Opens the browser. Not called when the planner refuses the task. */
  readonly openSession: (signal: AbortSignal) => Promise<BrowserSession>;
  /** Called once for each session that was opened. The outcome does not wait for the browser to be gone. */
  readonly releaseSession: (session: BrowserSession) => Promise<void>;
  /** Called once, before the first request is sent. False: the run must not continue. */
  readonly begin: () => Promise<boolean>;
  /** How to check that the session is still signed in as the user. Null when it is not signed in. */
  readonly signIn: SignInProbe | null;
  readonly findOutputProblems: FindOutputProblems;
  readonly limits: ErrandLimits;
  /** Followed instead of asking the planner, which takes over where it cannot be followed. */
  readonly recipe?: RecipeUse | null;
  /** Null when nobody can be asked anything. */
  readonly people: People | null;
  /** Null when nobody can take over. */
  readonly takeover: Takeover | null;
  readonly reporter: Reporter;
  readonly clock: Clock;
  /** Aborted with a StopReason. */
  readonly signal: AbortSignal;
}

export interface ErrandLimits {
  readonly maxSteps: number;
  readonly maxDurationMs: number;
  /** Tokens sent to and received from models, including the verifier's. */
  readonly maxTokens: number;
}

/** Receives what happens in the run. A call rejects when the run has lost its lease; the run then ends. */
export interface Reporter {
  /** The number of steps before: a run may begin again after its sign-in was renewed. */
  readonly steps?: number;
  /** The id of its screenshot; null when there is none, or when it could not be stored. */
  step(step: StepReport, screenshot?: NewArtifact | null): Promise<{ readonly screenshot: string | null }>;
  verification(verification: VerificationReport): Promise<void>;
  /**
   * The id is null when the run has reached its limit for artifacts, or when a screenshot could not be stored. Anything
   * else that cannot be stored rejects with EvidenceNotKept.
   */
  saveArtifact(artifact: NewArtifact): Promise<{ readonly id: string | null }>;
}

export interface NewArtifact {
  readonly kind: "screenshot" | "page" | "network" | "provenance" | "download";
  /** Without a path. Anything taken from a page is sanitized. */
  readonly name: string;
  readonly contentType: string;
  readonly data: Buffer;
}

/** One step as an event on the wire. Secrets are masked. */
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
  /** The element that was acted on, in the screenshot from before: afterwards it may be gone. Null when it was not in it. */
  readonly mark: (Box & { readonly screenshot: string }) | null;
  /** What the model spent to decide on this step; null without a model. */
  readonly cost: Cost | null;
}

/** The verdict as an event on the wire. There are two when the planner got a second chance. */
interface VerificationReport extends Verdict {
  /** What the verifier's model spent. */
  readonly cost: Cost | null;
  /** What all models of the run spent. */
  readonly total_cost: Cost | null;
}

/** How a run ended, and what all its models spent. */
export type ErrandOutcome = ErrandEnd & {
  readonly cost: Cost | null;
  /** How its recipe went; absent without one. */
  readonly recipe?: RecipeOutcome | null;
  /** What a verified run teaches; absent when it followed a recipe. */
  readonly lesson?: Lesson | null;
};

export type ErrandEnd =
  | { readonly kind: "verified"; readonly reason: string; readonly result: ExecutionResult }
  | {
      readonly kind: "failed";
      readonly failure: Failure;
      readonly code: ExecutionErrorCode;
      readonly reason: string;
      /** For a developer: what happened and what to do next. */
      readonly message: string;
      readonly sideEffects: readonly SideEffect[];
      readonly verdict: Verdict | null;
    };

/** Evidence that the run must keep could not be stored. The message contains nothing from a page. */
export class EvidenceNotKept extends Error {
  override readonly name = "EvidenceNotKept";

  constructor(artifact: string, options: ErrorOptions) {
    super(`The evidence of the run could not be stored: there is no space for ${artifact}.`, options);
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
