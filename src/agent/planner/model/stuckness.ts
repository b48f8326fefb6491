import type { Observation } from "../../../browser/observation/observation.ts";
import type { ActionCall, ActionReport } from "../../actions/action-report.ts";
import { Attempts } from "./attempts.ts";
import { stateOf } from "./state-of.ts";

const HINT_AFTER_STILL = 3;
const REPLAN_AFTER_STILL = 6;
const END_AFTER_STILL = 10;
const MAX_TIMES = 2;

/** How a run that gets nowhere is handled: told so, then refused, then asked to think anew, then ended. */
export class Stuckness {
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
    const state = stateOf(observation);
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
