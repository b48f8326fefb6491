import { findTarget } from "../matching/find-target.ts";
import type { Spot } from "../matching/scene.ts";
import type { Target } from "../reading/target.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import { isClosedTab } from "./explore.ts";
import type { Hand } from "./hand.ts";
import { ambiguous, locate } from "./locate.ts";
import { pressSpot } from "./press-it.ts";
import { suitsOpening } from "./suits.ts";

const MAX_SECTIONS = 50;

/** Opens or closes a section, the only one, or all of them. */
export function* expand(target: Target | null, open: boolean, all: boolean, hand: Hand): Course {
  if (target === null) return yield* expandUnnamed(open, all, hand);
  const found = findTarget(target, hand.scene, { suits: suitsOpening });
  const closed = found.kind === "none" ? [...findFoldable(open, hand), ...findOpeners(hand)] : [];
  const [only] = closed;
  const spot = only !== undefined && closed.length === 1 ? only : yield* locate(target, { suits: suitsOpening }, hand);
  if (isAlready(spot, open)) hand.note(`${describeSpot(spot)} is ${open ? "open" : "closed"}`);
  else yield* pressSpot(spot, () => null, hand);
}

function* expandUnnamed(open: boolean, all: boolean, hand: Hand): Course {
  const closed = findFoldable(open, hand);
  const [first] = closed;
  const said = { said: "the section", readings: [] };
  if (first === undefined) throw hand.stop("NOT_FOUND", `There is no ${open ? "closed" : "open"} section on the page.`);
  if (closed.length > 1 && !all) throw ambiguous(said, closed, hand);
  const done = new Set<string>();
  for (let count = 0; count < MAX_SECTIONS; count++) {
    const next = findFoldable(open, hand).find(({ node }) => !done.has(node.name));
    if (next === undefined) return;
    done.add(next.node.name);
    yield* pressSpot(next, () => null, hand);
  }
}

function findFoldable(open: boolean, { scene }: Hand): Spot[] {
  return scene.spots.filter((spot) => {
    const { node } = spot;
    if (node.ref === null || node.role === "combobox") return false;
    if (node.role !== "tab" && node.states.expanded !== undefined) return node.states.expanded !== open;
    if (!open) return node.states.expanded === true;
    return isClosedTab(spot);
  });
}

const OPENER = /^(?:[+▶▸►▾▼⌄☰≡⋮⋯…]|\.\.\.|menu|more|more options|options)$/i;

/** Signs that people use for something that opens. */
function findOpeners({ scene }: Hand): Spot[] {
  return scene.spots.filter(({ node }) => node.ref !== null && OPENER.test(node.name.replace(/ \d+×\d+$/, "").trim()));
}

function isAlready({ node }: Spot, open: boolean): boolean {
  return node.states.expanded === open;
}
