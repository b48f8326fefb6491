import type { Failure } from "../../../../contract/execution.ts";
import type { Decision, Turn } from "../../planner.ts";

/** What a plan does next: decide something, or let time pass. */
export type Step = Decision | { readonly kind: "pause"; readonly milliseconds: number };

/** A course of action: yields steps, gets back what came of each. Nothing runs on while the browser works. */
export type Course<Result = void> = Generator<Step, Result, Turn>;

/** The errand cannot be done. Carries what is told to its owner. */
export class Stop extends Error {
  readonly failure: Failure;
  readonly code: string;

  constructor(failure: Failure, code: string, reason: string) {
    super(reason);
    this.failure = failure;
    this.code = code;
  }
}
