import { createHash } from "node:crypto";
import type { Observation } from "../../../browser/observation/observation.ts";
import { toLines } from "../../../browser/observation/observation-text.ts";
import type { ActionCall, ActionReport } from "../../actions/action.ts";
import { describeCall } from "../../actions/public-call.ts";

const HINT_AFTER_STILL = 3;
const REPLAN_AFTER_STILL = 6;
const END_AFTER_STILL = 10;
const MAX_TIMES = 2;

/** How a run that gets nowhere is handled: told so, then refused, then asked to think anew, then ended. */
export class StuckDetector {
  readonly #attempts = new Attempts();
  readonly #states = new Set<string>();
  #state = "";
  #isRepeating = false;
  /** Turns in which the page stayed as it was and nothing was read from it. */
  #still = 0;
  #refusals = 0;
  #hasReplanned = false;
  #isReplanDue = false;

  see(observation: Observation, reports: readonly ActionReport[]): void {
    const state = hashPageState(observation);
    const hasRead = reports.some(({ data, failure }) => failure === null && data !== null);
    this.#still = state === this.#state && reports.length > 0 && !hasRead ? this.#still + 1 : 0;
    if (!this.#states.has(state)) this.#refusals = 0;
    this.#states.add(state);
    this.#state = state;
    if (this.#still === REPLAN_AFTER_STILL) this.#askToReplan();
  }

  /** What is done now is done a second time, or the page has not moved for a while: a picture may help. */
  get isGettingNowhere(): boolean {
    return this.#isRepeating || this.#still >= HINT_AFTER_STILL;
  }

  get isOver(): boolean {
    const enough = this.#isReplanDue ? 1 : MAX_TIMES;
    return this.#still >= END_AFTER_STILL || (this.#hasReplanned && this.#refusals >= enough);
  }

  /** Whether a call was made often enough on the page as it is now. */
  isTooOften(call: ActionCall): boolean {
    if (this.#attempts.countOf(this.#state, call) < MAX_TIMES) return false;
    this.#refusals += 1;
    if (this.#refusals >= MAX_TIMES && !this.#hasReplanned) this.#askToReplan();
    return true;
  }

  perform(calls: readonly ActionCall[]): void {
    this.#isRepeating = calls.some((call) => this.#attempts.countOf(this.#state, call) > 0);
    this.#attempts.add(this.#state, calls);
    this.#isReplanDue = false;
  }

  /** For the model, in our own words; what was tried comes from pages and is told apart. */
  get remarks(): readonly string[] {
    if (this.#isReplanDue) {
      return [
        "You are stuck. Stop and think of an entirely different way to the goal; do none of the things listed as tried. If there is no other way, give up.",
      ];
    }
    if (!this.isGettingNowhere) return [];
    return [
      "You have done this before on this very page, or the page does not react. Look at what is there and do something else.",
    ];
  }

  /** Empty unless a new way has to be found. */
  get tried(): readonly string[] {
    return this.#isReplanDue ? this.#attempts.tried : [];
  }

  #askToReplan(): void {
    this.#hasReplanned = true;
    this.#isReplanDue = true;
    this.#refusals = 0;
  }
}

/** Whatever it waits for and however long: it has waited. */
const SAME_REGARDLESS_OF_INPUT: ReadonlySet<string> = new Set(["wait_for"]);
const MAX_LISTED = 8;

/** What was done how often in which state of the page. To and fro between two pages is found as well: each comes again. */
class Attempts {
  readonly #counts = new Map<string, number>();
  #tried: string[] = [];

  add(state: string, calls: readonly ActionCall[]): void {
    // The same thing several times at one go, such as a plus that is clicked thrice, is one attempt.
    for (const key of new Set(calls.map((call) => keyOf(state, call)))) {
      this.#counts.set(key, this.#countOfKey(key) + 1);
    }
    this.#tried = [...new Set([...calls.map(describeCall), ...this.#tried])].slice(0, MAX_LISTED);
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
  return JSON.stringify([state, action, SAME_REGARDLESS_OF_INPUT.has(action) ? null : rest]);
}

/** Equal for two looks at the same state of a page. The focus does not count: every click moves it. */
function hashPageState({ url, root, dialog, scroll, tabs }: Observation): string {
  const lines = toLines(root).map((line) => line.replace(/ \[active\](?=(?: \[[^\]]*\])*$)/, ""));
  const rest = [url, dialog?.message ?? "", scroll.y, tabs.length];
  return createHash("sha256")
    .update([...rest, ...lines].join("\n"))
    .digest("base64url");
}
