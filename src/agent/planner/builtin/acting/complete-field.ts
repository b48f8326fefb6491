import type { Spot } from "../matching/scene.ts";
import type { Target } from "../reading/target.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { ambiguous } from "./locate.ts";
import { pressSpot } from "./press-it.ts";
import { setField } from "./set-field.ts";

/** Types the beginning of a suggestion and takes the one that also ends as it should. */
export function* completeField(target: Target | null, start: string, end: string, hand: Hand): Course {
  yield* setField(target, { from: "task", text: start }, false, hand);
  const fits = ({ node }: Spot) => {
    const name = node.name.toLowerCase();
    return name.startsWith(start.toLowerCase()) && name.endsWith(end.toLowerCase());
  };
  const find = () =>
    hand.scene.spots.filter(
      (spot) =>
        spot.node.ref !== null &&
        spot.node.field === null &&
        fits(spot) &&
        spot.node.children.every(({ ref }) => ref === null),
    );
  if (find().length === 0) {
    yield* hand.pause(700);
    yield* hand.act([{ action: "look", input: {} }], "Wait for suggestions.");
  }
  const [spot, ...more] = find();
  if (spot === undefined)
    throw hand.stop("NOT_FOUND", `Nothing is suggested that begins with "${start}" and ends with "${end}".`);
  const said = { said: `an item that begins with "${start}"`, readings: [] };
  if (more.some(({ node }) => node.name !== spot.node.name)) throw ambiguous(said, [spot, ...more], hand);
  yield* pressSpot(spot, () => find()[0] ?? null, hand);
  hand.forgetTyped();
}
