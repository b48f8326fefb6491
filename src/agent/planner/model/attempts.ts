import type { ActionCall } from "../../actions/action-report.ts";
import { describeCall } from "../../describe-call.ts";

/** Whatever it waits for and however long: it has waited. */
const SAME_WHATEVER_IT_SAYS: ReadonlySet<string> = new Set(["wait_for"]);
const MAX_TOLD = 8;

/** What was done how often in which state of the page. To and fro between two pages is found as well: each comes again. */
export class Attempts {
  readonly #counts = new Map<string, number>();
  #tried: string[] = [];

  add(state: string, calls: readonly ActionCall[]): void {
    // The same thing several times at one go, such as a plus that is clicked thrice, is one attempt.
    for (const key of new Set(calls.map((call) => keyOf(state, call)))) {
      this.#counts.set(key, this.#countOfKey(key) + 1);
    }
    this.#tried = [...new Set([...calls.map(describeCall), ...this.#tried])].slice(0, MAX_TOLD);
  }

  countOf(state: string, call: ActionCall): number {
    return this.#countOfKey(keyOf(state, call));
  }

  /** The latest things that were done, the newest first. */
  get tried(): readonly string[] {
    return this.#tried;
  }

  #countOfKey(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

/** A ref is only good for one observation: the label says what is meant. */
function keyOf(state: string, { action, input }: ActionCall): string {
  const { ref: _ref, to_ref: _toRef, ...rest } = input;
  return JSON.stringify([state, action, SAME_WHATEVER_IT_SAYS.has(action) ? null : rest]);
}
