import type { ActionCall, ActionReport } from "../../../actions/action.ts";
import type { Spot } from "../matching/scene.ts";
import { clearTheWay } from "./clear-the-way.ts";
import { type Course, Stop } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";

/** How to do something to an element once it is found; it is found again when the page has changed meanwhile. */
interface Touch {
  readonly find: () => Spot | null;
  readonly action: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** Failures that something in front of the element may be the cause of. */
const IN_THE_WAY: ReadonlySet<string> = new Set(["covered", "disabled", "no_effect", "timeout"]);

/** Does it, and does it again after the page was redrawn or what covered it was put away. */
export function* touch({ find, action, input = {}, why }: Touch, spot: Spot, hand: Hand): Course<ActionReport> {
  const before = hand.scene;
  let report = yield* doOnce(spot, action, input, why, hand);
  for (let tries = 0; tries < 2 && report.failure !== null; tries++) {
    const { kind } = report.failure;
    if (kind !== "stale" && !(IN_THE_WAY.has(kind) && (yield* clearTheWay(hand, before)))) break;
    const again = find();
    if (again === null) break;
    report = yield* doOnce(again, action, input, why, hand);
  }
  return report;
}

/** For steps that the rest of the errand rests on. */
export function demandSuccess(report: ActionReport, what: string, hand: Hand): void {
  const { failure } = report;
  if (failure === null) return;
  if (failure.kind === "policy") throw new Stop("policy_violation", "POLICY_VIOLATION", failure.message);
  if (failure.kind === "navigation_failed") throw new Stop("site_error", "SITE_ERROR", failure.message);
  throw hand.stop(failure.kind.toUpperCase(), `${what} did not work: ${failure.message}`);
}

function* doOnce(
  spot: Spot,
  action: string,
  input: Readonly<Record<string, unknown>>,
  why: string,
  hand: Hand,
): Course<ActionReport> {
  const { ref, name, role } = spot.node;
  if (ref === null) throw hand.stop("NOT_ACTIONABLE", `${describeSpot(spot)} takes no action.`);
  const call: ActionCall = { action, input: { ref, label: name, ...input } };
  hand.last = { ref, role, name };
  return yield* hand.act([call], why);
}
