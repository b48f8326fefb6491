import { createHash } from "node:crypto";
import { type Observation, walk } from "../../../browser/observation/observation.ts";
import { toLinesWithoutFocus } from "../../../browser/observation/observation-text.ts";
import type { ActionCall, ActionReport } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/catalogue.ts";
import { describeCall } from "../../actions/public-call.ts";
import { isChange } from "./evidence.ts";

/** Turns without any change of the page. */
const HINT_AFTER_STILL = 3;
const REPLAN_AFTER_STILL = 6;
const END_AFTER_STILL = 10;
/** How often a call may be made in one state of a page, unless something else was changed in between. */
const MAX_TIMES = 2;
/** How often in all, whatever was changed in between. */
const MAX_TIMES_IN_ALL = 8;

/** Handles a run without progress: a hint first, then calls are rejected, then a new plan is asked for, then it ends. */
export class StuckDetector {
  readonly #attempts = new Attempts();
  readonly #states = new Set<string>();
  /** What was changed so far: the same again is not progress. */
  readonly #changes = new Set<string>();
  #state: PageState = { page: "", focus: "" };
  #isRepeating = false;
  /** Turns in a row in which the page did not change and nothing was read from it. */
  #still = 0;
  #rejections = 0;
  #hasReplanned = false;
  #isReplanDue = false;

  observe(observation: Observation, reports: readonly ActionReport[]): void {
    const state = readPageState(observation);
    const hasRead = reports.some(({ data, failure }) => failure === null && data !== null);
    const hasMovedFocus = reports.some(({ call }) => dependsOnFocus(call)) && state.focus !== this.#state.focus;
    const isSame = state.page === this.#state.page && !hasMovedFocus;
    this.#still = isSame && reports.length > 0 && !hasRead ? this.#still + 1 : 0;
    if (!this.#states.has(state.page)) this.#rejections = 0;
    this.#states.add(state.page);
    this.#state = state;
    for (const report of reports) this.#noteChanges(report);
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
    if (!this.#attempts.isExhausted(this.#state, call)) return false;
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

  /** A step that did nothing may work after something else was changed: other attempts start over. */
  #noteChanges(report: ActionReport): void {
    const changes = changesOf(report);
    if (changes.every((change) => this.#changes.has(change))) return;
    for (const change of changes) this.#changes.add(change);
    this.#attempts.forgetOthers(report.call);
    this.#rejections = 0;
  }

  #askToReplan(): void {
    this.#hasReplanned = true;
    this.#isReplanDue = true;
    this.#rejections = 0;
  }
}

/** What an action changed on the site or in place on the page. Opening another page changes nothing. */
function changesOf({ call, failure, urlBefore, urlAfter, added, removed, events }: ActionReport): string[] {
  const sent = events.requests.filter((request) => isChange(request) && (request.status ?? 500) < 400);
  const isInPlace =
    failure === null &&
    ACTIONS.get(call.action)?.effect === "mutate" &&
    urlBefore === urlAfter &&
    added.length + removed.length > 0;
  return [
    ...sent.map(({ method, url, bodyHash }) => `${method} ${url} ${bodyHash}`),
    ...(isInPlace ? [identify(call)] : []),
  ];
}

/** Waiting again is a repetition, whatever it waits for and however long. */
const SAME_REGARDLESS_OF_INPUT: ReadonlySet<string> = new Set(["wait_for"]);
const MAX_LISTED = 8;

interface Attempt {
  readonly call: string;
  /** Since something else was changed. */
  count: number;
  inAll: number;
}

/** Counts calls by page state. Going back and forth between two pages is noticed as well, because both states recur. */
class Attempts {
  readonly #attempts = new Map<string, Attempt>();
  #tried: string[] = [];

  add(state: PageState, calls: readonly ActionCall[]): void {
    // The same call several times in one turn, such as three clicks on a plus button, is one attempt.
    const keys = new Map(calls.map((call) => [keyOf(state, call), identify(call)]));
    for (const [key, call] of keys) {
      const { count = 0, inAll = 0 } = this.#attempts.get(key) ?? {};
      this.#attempts.set(key, { call, count: count + 1, inAll: inAll + 1 });
    }
    this.#tried = [...new Set([...calls.map(describeCall), ...this.#tried])].slice(0, MAX_LISTED);
  }

  countOf(state: PageState, call: ActionCall): number {
    return this.#attempts.get(keyOf(state, call))?.count ?? 0;
  }

  isExhausted(state: PageState, call: ActionCall): boolean {
    const { count = 0, inAll = 0 } = this.#attempts.get(keyOf(state, call)) ?? {};
    return count >= MAX_TIMES || inAll >= MAX_TIMES_IN_ALL;
  }

  forgetOthers(call: ActionCall): void {
    const own = identify(call);
    for (const attempt of this.#attempts.values()) if (attempt.call !== own) attempt.count = 0;
  }

  /** The latest calls, newest first. */
  get tried(): readonly string[] {
    return this.#tried;
  }
}

function keyOf(state: PageState, call: ActionCall): string {
  return JSON.stringify([state.page, dependsOnFocus(call) ? state.focus : null, identify(call)]);
}

/** A ref is valid for one observation only; the label identifies the target. */
function identify({ action, input }: ActionCall): string {
  const { ref: _ref, to_ref: _toRef, ...rest } = input;
  return JSON.stringify([action, SAME_REGARDLESS_OF_INPUT.has(action) ? null : rest]);
}

/** A key goes to the focused element: after Tab the same key does something else. */
function dependsOnFocus({ action, input }: ActionCall): boolean {
  return action === "press" && input["ref"] === undefined;
}

/** Equal for two observations of a page in the same state. */
interface PageState {
  /** URL, scroll position, and everything on the page with the values of its fields, except the focus. */
  readonly page: string;
  /** Where the focus is. */
  readonly focus: string;
}

function readPageState(observation: Observation): PageState {
  const { url, dialog, scroll, tabs, root } = observation;
  const lines = toLinesWithoutFocus(observation);
  const rest = [url, dialog?.message ?? "", scroll.y, tabs.length];
  const page = createHash("sha256")
    .update([...rest, ...lines].join("\n"))
    .digest("base64url");
  const focused = [...walk(root)].flatMap(({ node }, index) => (node.states.active === true ? [index] : []));
  return { page, focus: focused.join() };
}
