import type { ObservedNode } from "../../../../browser/observation/observation.ts";
import { findTarget } from "../matching/find-target.ts";
import type { Spot } from "../matching/scene.ts";
import { targetOf } from "../reading/target.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";
import { locate, look } from "./locate.ts";
import { pressSpot } from "./press-it.ts";
import { demandSuccess, touch } from "./touch.ts";

/** "File > Export": each part opens the next, under the mouse or by a click. */
export function* followMenu(path: readonly string[], hand: Hand): Course {
  for (const [index, part] of path.entries()) {
    const target = targetOf(part);
    const spot = yield* locate(target, { suits: suitsMenu, effort: index === 0 ? "open" : "look" }, hand);
    const next = path[index + 1];
    const find = () => look(target, { suits: suitsMenu }, hand);
    if (next === undefined) yield* pressSpot(spot, find, hand);
    else yield* openPart(spot, next, find, hand);
  }
}

function suitsMenu({ role }: ObservedNode): number {
  if (/^(?:menuitem|menuitemcheckbox|menuitemradio|treeitem|tab|option)$/.test(role)) return 1;
  return role === "button" || role === "link" ? 0.97 : 0.9;
}

function* openPart(spot: Spot, next: string, find: () => Spot | null, hand: Hand): Course {
  const isThere = () => findTarget(targetOf(next), hand.scene, { suits: suitsMenu }).kind !== "none";
  const what = describeSpot(spot);
  const report = yield* touch({ find, action: "hover", why: `Rest on ${what} to open its menu.` }, spot, hand);
  demandSuccess(report, `Opening ${what}`, hand);
  if (isThere()) return;
  yield* hand.act(
    [{ action: "wait_for", input: { text: next, timeout_seconds: 1.5 } }],
    `Wait for "${next}" in the menu.`,
  );
  if (isThere()) return;
  const again = find();
  if (again !== null) yield* pressSpot(again, find, hand);
}
