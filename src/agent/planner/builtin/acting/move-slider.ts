import type { Spot } from "../matching/scene.ts";
import { ancestorsOf, isInside } from "../matching/scene.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";
import { demandSuccess, touch } from "./touch.ts";

const MAX_PRESSES = 400;
const BATCH = 5;

/** Sets a slider: natively where it is a real one, else with the arrow keys until the number beside it is right. */
export function* moveSlider(spot: Spot, text: string, find: () => Spot | null, hand: Hand): Course {
  const wanted = Number(text);
  if (!Number.isFinite(wanted)) throw hand.stop("UNSUPPORTED_VALUE", `A slider takes a number, and "${text}" is none.`);
  const what = describeSpot(spot);
  if (spot.node.field?.type === "range") {
    const report = yield* touch({ find, action: "fill", input: { text }, why: `Set ${what} to ${text}.` }, spot, hand);
    demandSuccess(report, `Setting ${what}`, hand);
  } else {
    yield* pressUntil(wanted, spot, ["ArrowLeft", "ArrowRight"], hand);
  }
  hand.note(`${what} is at ${text}`);
}

/** A field with arrows that takes no typing. */
export function* stepTo(spot: Spot, text: string, hand: Hand): Course {
  const { ref, name } = spot.node;
  const wanted = Number(text);
  if (ref === null || !Number.isFinite(wanted))
    throw hand.stop("UNSUPPORTED_VALUE", `${describeSpot(spot)} takes a number.`);
  // The typing that failed may have left something that is no number: one step makes it one again.
  if (readNumber(ref, hand) === null) {
    yield* hand.act(
      [{ action: "press", input: { ref, label: name, key: "ArrowUp" } }],
      `Step ${describeSpot(spot)} to a number.`,
    );
  }
  yield* pressUntil(wanted, spot, ["ArrowDown", "ArrowUp"], hand);
  hand.note(`${describeSpot(spot)} is at ${text}`);
}

/** Both ends of the range are found by the way: where a key changes nothing, there is no more to be had. */
function* pressUntil(wanted: number, spot: Spot, [down, up]: readonly [string, string], hand: Hand): Course {
  const { ref, name } = spot.node;
  if (ref === null) throw hand.stop("NOT_ACTIONABLE", "The slider takes no action.");
  let current = readNumber(ref, hand);
  for (let presses = 0; current !== wanted && presses < MAX_PRESSES; ) {
    if (current === null) throw hand.stop("NO_VALUE", "The page does not show where the slider stands.");
    const key = wanted > current ? up : down;
    const count = Math.min(BATCH, Math.max(1, Math.floor(Math.abs(wanted - current))));
    const call = { action: "press", input: { ref, label: name, key } };
    const report = yield* hand.act(
      Array.from({ length: count }, () => call),
      `Move ${describeSpot(spot)} from ${current} to ${wanted}.`,
    );
    demandSuccess(report, "Moving the slider", hand);
    presses += count;
    const next = readNumber(ref, hand);
    if (next === current) throw hand.stop("NO_EFFECT", `The slider stays at ${current} and does not go to ${wanted}.`);
    current = next;
  }
  if (current !== wanted) throw hand.stop("NO_EFFECT", `The slider could not be set to ${wanted}.`);
}

const NUMBER = /^[^\d-]*(-?\d+(?:\.\d+)?)[^\d]*$/;

/** What it says itself, else the nearest number that stands around it. */
function readNumber(ref: string, { scene }: Hand): number | null {
  const spot = scene.spots.find(({ node }) => node.ref === ref);
  if (spot === undefined) return null;
  const own = NUMBER.exec(spot.node.value ?? "")?.[1];
  if (own !== undefined) return Number(own);
  for (const around of [...ancestorsOf(spot)].slice(0, 4)) {
    const numbers = scene.spots.filter(
      (other) => isInside(other, around) && other.node.children.length === 0 && NUMBER.test(other.node.name),
    );
    const nearest = numbers.sort(
      (one, other) => Math.abs(one.index - spot.index) - Math.abs(other.index - spot.index),
    )[0];
    if (nearest !== undefined) return Number(NUMBER.exec(nearest.node.name)?.[1]);
  }
  return null;
}
