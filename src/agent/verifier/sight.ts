import type { Observation } from "../../browser/observation/observation.ts";
import type { CapturedPages } from "../captured-pages.ts";
import type { AttributedWrite, StepCause } from "../side-effects.ts";
import type { SecondLook } from "./second-look.ts";

/** All that the verifier can hold a claim against. */
export interface Sight {
  /** What was asked for, in the caller's words. */
  readonly prompt: string;
  /** The run's own tab, as it is now. */
  readonly live: Observation;
  /** What the run saw on its way. */
  readonly captured: CapturedPages;
  /** What fresh eyes see. */
  readonly looks: readonly SecondLook[];
  readonly writes: readonly AttributedWrite[];
  readonly steps: readonly StepCause[];
}
