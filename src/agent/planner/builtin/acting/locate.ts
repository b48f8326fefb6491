import type { ObservedNode } from "../../../../browser/observation/observation.ts";
import { type Found, findTarget, type Wish } from "../matching/find-target.ts";
import { labelsOf } from "../matching/labels.ts";
import type { Spot } from "../matching/scene.ts";
import { isPronoun, MENTIONED, type Target } from "../reading/target.ts";
import type { Course, Stop } from "./course.ts";
import { describeInPlace, describeSpot } from "./describe-spot.ts";
import { explore } from "./explore.ts";
import type { Hand } from "./hand.ts";

export interface Search {
  readonly suits: (node: ObservedNode) => number;
  readonly takesDisabled?: boolean;
  /** How far to go for it: not at all, through tabs and closed sections, or through everything that opens. */
  readonly effort?: "look" | "open" | "everything";
}

const PATIENCE_SECONDS = 3;

/** The one thing that is meant. Waits for it, then looks where it may be hidden, then says what was missing. */
export function* locate(target: Target, search: Search, hand: Hand): Course<Spot> {
  const spot = yield* locateIfThere(target, search, hand);
  if (spot === null) throw missing(target, search, hand);
  return spot;
}

export function* locateIfThere(target: Target, search: Search, hand: Hand): Course<Spot | null> {
  if (search.effort === "everything") return yield* locateAnywhere(target, search, hand);
  const first = look(target, search, hand);
  if (first !== null) return first;
  yield* waitFor(target, hand);
  yield* waitUntilEnabled(target, search, hand);
  const second = look(target, search, hand);
  if (second !== null || search.effort === "look") return second;
  return yield* explore(() => look(target, search, hand), "open", hand, placeOf(target, hand));
}

/** When the task says to look around, a label that is only nearly right waits until the right one is found nowhere. */
function* locateAnywhere(target: Target, search: Search, hand: Hand): Course<Spot | null> {
  const lookClosely = () => look(target, search, hand, (spot) => isNamedSo(spot, target, hand));
  const exact = lookClosely() ?? (yield* explore(lookClosely, "everything", hand, placeOf(target, hand)));
  return exact ?? look(target, search, hand) ?? (yield* locateIfThere(target, { ...search, effort: "open" }, hand));
}

function placeOf({ readings }: Target, { focus }: Hand): string | null {
  return readings.find(({ within }) => within !== null)?.within ?? focus;
}

/** Letter for letter, where the task quotes it. */
function isNamedSo(spot: Spot, { readings }: Target, { scene }: Hand): boolean {
  const labels = labelsOf(spot, scene).map(({ text }) => text.trim());
  return (
    readings.every(({ isQuoted }) => !isQuoted) ||
    readings.some(({ label }) => label !== null && labels.includes(label))
  );
}

/** Null when it is not there; throws when it cannot be told which one is meant. */
export function look(
  target: Target,
  { suits, takesDisabled = false }: Search,
  hand: Hand,
  accepts: (spot: Spot) => boolean = () => true,
): Spot | null {
  const found = find(target, { suits, takesDisabled, focus: hand.focus, near: hand.near }, hand);
  const spots = found.kind === "none" ? [] : found.kind === "one" ? [found.spot] : found.spots.filter(accepts);
  const [spot, ...more] = spots;
  if (more.length > 0) throw ambiguous(target, spots, hand);
  return spot !== undefined && accepts(spot) ? spot : null;
}

function find(target: Target, wish: Wish, hand: Hand): Found {
  if (isPronoun(target) && hand.focus !== null) {
    const meant = {
      said: hand.focus,
      readings: [{ label: hand.focus, isQuoted: false, kind: null, ordinal: null, within: null }],
    };
    return findTarget(meant, hand.scene, wish);
  }
  return findTarget(placeMentioned(target, hand.focus), hand.scene, wish);
}

/** "remove it": the button that belongs to what was mentioned. */
function placeMentioned({ said, readings }: Target, focus: string | null): Target {
  return {
    said,
    readings: readings.map((reading) => (reading.within === MENTIONED ? { ...reading, within: focus } : reading)),
  };
}

export function ambiguous(target: Target, spots: readonly Spot[], hand: Hand): Stop {
  const shown = spots.slice(0, 4).map((spot) => describeInPlace(spot, hand.scene));
  const more = spots.length > shown.length ? ` and ${spots.length - shown.length} more` : "";
  return hand.stop(
    "AMBIGUOUS",
    `"${target.said}" may mean ${shown.join(", ")}${more}. Say which one, for example by what stands beside it.`,
  );
}

export function missing(target: Target, { suits }: Search, hand: Hand): Stop {
  const found = findTarget(target, hand.scene, { suits });
  const nearest = found.kind === "none" ? found.nearest.map(describeSpot) : [];
  const disabled = findTarget(target, hand.scene, { suits, takesDisabled: true });
  if (disabled.kind === "one") return hand.stop("DISABLED", `${describeSpot(disabled.spot)} is there, but disabled.`);
  const hint = nearest.length === 0 ? "" : ` The nearest are ${nearest.join(", ")}.`;
  return hand.stop("NOT_FOUND", `"${target.said}" was not found on the page "${hand.observation.title}".${hint}`);
}

const ENABLING_MS = [400, 1500];

/** What is there and cannot be used yet, because the page is still checking something. */
function* waitUntilEnabled(target: Target, search: Search, hand: Hand): Course {
  for (const milliseconds of ENABLING_MS) {
    const spot = look(target, { ...search, takesDisabled: true }, hand);
    if (spot?.node.ref == null || spot.node.states.disabled !== true) return;
    yield* hand.pause(milliseconds);
    const call = { action: "scroll", input: { ref: spot.node.ref, label: spot.node.name } };
    yield* hand.act([call], `Wait until ${describeSpot(spot)} can be used.`);
  }
}

/** Pages that are still loading, or that show something with a delay. */
function* waitFor(target: Target, hand: Hand): Course {
  const named = target.readings.filter(({ label }) => label !== null);
  const text =
    (named.find(({ isQuoted }) => isQuoted) ?? named.find(({ kind }) => kind !== null) ?? named[0])?.label ?? null;
  if (text === null || text.length > 200) return;
  yield* hand.act(
    [{ action: "wait_for", input: { text, timeout_seconds: PATIENCE_SECONDS } }],
    `Wait for "${text}" to appear.`,
  );
}
