import type { ActionReport } from "../../../actions/action.ts";
import type { Spot } from "../matching/scene.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";
import { demandSuccess, touch } from "./touch.ts";

export function* selectIn(
  spot: Spot,
  options: readonly string[],
  find: () => Spot | null,
  hand: Hand,
): Course<ActionReport> {
  const what = options.map((option) => `"${option}"`).join(", ");
  const report = yield* touch(
    { find, action: "select", input: { options }, why: `Choose ${what} in ${describeSpot(spot)}.` },
    spot,
    hand,
  );
  demandSuccess(report, `Choosing ${what}`, hand);
  hand.note(`Chose ${what} in ${describeSpot(spot)}`);
  return report;
}

export function* checkIt(spot: Spot, checked: boolean, find: () => Spot | null, hand: Hand): Course {
  const why = `${checked ? "Tick" : "Untick"} ${describeSpot(spot)}.`;
  const report = yield* touch({ find, action: "check", input: { checked }, why }, spot, hand);
  demandSuccess(report, why.slice(0, -1), hand);
  const about = `${describeSpot(spot)} is ${checked ? "on" : "off"}`;
  hand.note(`${checked ? "Ticked" : "Unticked"} ${describeSpot(spot)}`);
  const { name: label } = spot.node;
  if (label === "" || report.urlBefore !== report.urlAfter) return;
  const value = checked ? "checked" : "unchecked";
  hand.conditions.push({ kind: "field", url: report.urlAfter, label, value, isSaved: false, about });
}
