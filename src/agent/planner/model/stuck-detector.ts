import { createHash } from "node:crypto";
import type { Observation } from "../../../browser/observation/observation.ts";
import type { ActionCall, ActionReport } from "../../actions/action.ts";
import { toLinesWithoutFocus } from "../../actions/perform-calls.ts";
import { describeCall } from "../../actions/public-call.ts";

/** Turns without any change of the page. */
const HINT_AFTER_STILL = 3;
const REPLAN_AFTER_STILL = 6;
const END_AFTER_STILL = 10;
/** How often a call may be made in one state of a page. */
const MAX_TIMES = 2;

/** Handles a run without progress: a hint first, then calls are rejected, then a new plan is asked for, then it ends. */
export class StuckDetector {
  readonly #attempts = new Attempts();
  readonly #states = new Set<string>();
  #state = "";
  #isRepeating = false;
  /** Turns in a row in which the page did not change and nothing was read from it. */
  #still = 0;
  #rejections = 0;
  #hasReplanned = false;
  #isReplanDue = false;

  observe(observation: Observation, reports: readonly ActionReport[]): void {
    const state = hashPageState(observation);
    const hasRead = reports.some(({ data, failure }) => failure === null && data !== null);
    this.#still = state === this.#state && reports.length > 0 && !hasRead ? this.#still + 1 : 0;
    if (!this.#states.has(state)) this.#rejections = 0;
    this.#states.add(state);
    this.#state = state;
    if (this.#still === REPLAN_AFTER_STILL) this.#askToReplan();
  }

  /** The last calls were repetitions, or the page has not changed for a while: a screenshot may help. */
  get isStuck(): boolean {
    return this.#isRepeating || this.#still >= HINT_AFTER_STILL;
  }

  /** Whether the run should end. */
  get isHopeless(): boolean {
    const enough = this.#isReplanDue ? 1 : MAX_TIMES;
    return this.#still >= END_AFTER_STILL || (this.#hasReplanned && this.#rejections >= enough);
  }

  /** Whether a call was already made often enough on the page in its present state. Counts as a rejection. */
  isRepeatedTooOften(call: ActionCall): boolean {
    if (this.#attempts.countOf(this.#state, call) < MAX_TIMES) return false;
    this.#rejections += 1;
    if (this.#rejections >= MAX_TIMES && !this.#hasReplanned) this.#askToReplan();
    return true;
  }

  recordCalls(calls: readonly ActionCall[]): void {
    this.#isRepeating = calls.some((call) => this.#attempts.countOf(this.#state, call) > 0);
    this.#attempts.add(this.#state, calls);
    this.#isReplanDue = false;
  }

  /** For the model, in our own words. What was tried contains page text and is separate. */
  get remarks(): readonly string[] {
    if (this.#isReplanDue) {
      return [
        "You are stuck. Stop and think of an entirely different way to the goal; do nothing that is listed as tried. If there is no other way, give up.",
      ];
    }
    if (!this.isStuck) return [];
    return [
      "You have done this before on this page, or the page does not react. Look at what is there and do something else.",
    ];
  }

  /** Empty unless a new plan is asked for. */
  get tried(): readonly string[] {
    return this.#isReplanDue ? this.#attempts.tried : [];
  }

  #askToReplan(): void {
    this.#hasReplanned = true;
    this.#isReplanDue = true;
    this.#rejections = 0;
  }
}

/** Waiting again is a repetition, whatever it waits for and however long. */
const SAME_REGARDLESS_OF_INPUT: ReadonlySet<string> = new Set(["wait_for"]);
const MAX_LISTED = 8;

/** Counts calls by page state. Going back and forth between two pages is noticed as well, because both states recur. */
class Attempts {
  readonly #counts = new Map<string, number>();
  #tried: string[] = [];

  add(state: string, calls: readonly ActionCall[]): void {
    // The same call several times in one turn, such as three clicks on a plus button, is one attempt.
    for (const key of new Set(calls.map((call) => keyOf(state, call)))) {
      this.#counts.set(key, this.#countOfKey(key) + 1);
    }
    this.#tried = [...new Set([...calls.map(describeCall), ...this.#tried])].slice(0, MAX_LISTED);
  }

  countOf(state: string, call: ActionCall): number {
    return this.#countOfKey(keyOf(state, call));
  }

  /** The latest calls, newest first. */
  get tried(): readonly string[] {
    return this.#tried;
  }

  #countOfKey(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

/** A ref is valid for one observation only; the label identifies the target. */
function keyOf(state: string, { action, input }: ActionCall): string {
  const { ref: _ref, to_ref: _toRef, ...rest } = input;
  return JSON.stringify([state, action, SAME_REGARDLESS_OF_INPUT.has(action) ? null : rest]);
}

/** Equal for two observations of a page in the same state. */
function hashPageState(observation: Observation): string {
  const { url, dialog, scroll, tabs } = observation;
  const lines = toLinesWithoutFocus(observation);
  const rest = [url, dialog?.message ?? "", scroll.y, tabs.length];
  return createHash("sha256")
    .update([...rest, ...lines].join("\n"))
    .digest("base64url");
}
