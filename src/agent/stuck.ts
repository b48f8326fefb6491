import type { ActionReport } from "./actions/action-report.ts";

const MAX_REPETITIONS = 3;

/** Notices a run that does the same thing again and again on a page that does not change. */
export class Repetitions {
  readonly #counts = new Map<string, number>();

  /** Whether this was once too often. */
  add({ call }: ActionReport, fingerprintBefore: string, fingerprintAfter: string): boolean {
    if (fingerprintBefore !== fingerprintAfter) return false;
    // A ref is only good for one observation: the label says what is meant.
    const { ref: _ref, ...input } = call.input;
    const key = JSON.stringify([fingerprintBefore, call.action, input]);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count >= MAX_REPETITIONS;
  }
}
