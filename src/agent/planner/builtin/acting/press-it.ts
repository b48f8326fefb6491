import type { ActionReport } from "../../../actions/action.ts";
import { findAll } from "../matching/find-target.ts";
import { isField } from "../matching/roles.ts";
import { ancestorsOf, isInside, type Spot } from "../matching/scene.ts";
import type { Target } from "../reading/target.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";
import { locateIfThere, look, missing, type Search } from "./locate.ts";
import { noteSaved } from "./note-saved.ts";
import { locateRecord } from "./records.ts";
import { suitsClick, suitsOpening } from "./suits.ts";
import { demandSuccess, touch } from "./touch.ts";
import { followTabs, noteEffect } from "./watch-effects.ts";

export function* click(target: Target, explores: boolean, hand: Hand, isDouble = false): Course {
  const search: Search = { suits: suitsClick, effort: explores ? "everything" : "open" };
  const spot =
    (yield* locateRecord(target, hand)) ?? (yield* locateIfThere(target, search, hand)) ?? findOnlyButton(target, hand);
  if (spot === null) throw missing(target, search, hand);
  yield* pressSpot(spot, () => look(target, search, hand), hand, isDouble);
}

const SENDING = /^(?:submit|send|log ?in|sign in|log on|save|ok|go|continue|confirm|apply|search)(?: button)?$/i;

/** "press login" after filling in a form whose only button says it in other words. */
function findOnlyButton(target: Target, { scene, near }: Hand): Spot | null {
  if (near === null || !isField(near.node) || !SENDING.test(target.said)) return null;
  for (const place of ancestorsOf(near)) {
    const buttons = scene.spots.filter(
      (spot) => isInside(spot, place) && spot.node.role === "button" && spot.node.states.disabled !== true,
    );
    if (buttons.length > 0) return buttons.length === 1 ? (buttons[0] ?? null) : null;
  }
  return null;
}

/** Clicks all that are meant, or so many of them. The page may change under each click. */
export function* clickMany(target: Target, times: "all" | number, hand: Hand): Course {
  const search: Search = { suits: suitsClick };
  const first = findAll(target, hand.scene, search);
  const count = times === "all" ? first.length : times;
  if (first.length === 0 || first.length < count) throw missing(target, search, hand);
  for (let done = 0; done < count; done++) {
    const left = findAll(target, hand.scene, search);
    // What was clicked may go away or be called otherwise now: then the next one has moved up.
    const spot = left.length === first.length ? left[done] : left.length === first.length - done ? left[0] : undefined;
    if (spot === undefined)
      throw hand.stop("CHANGED", `The page changed while "${target.said}" was being clicked one by one.`);
    yield* pressSpot(spot, () => null, hand);
  }
}

/** "open X": a link, a tab, a section or an entry of a list. */
export function* open(target: Target, hand: Hand): Course {
  const search: Search = { suits: suitsOpening, effort: "open" };
  const spot = (yield* locateRecord(target, hand)) ?? (yield* locateIfThere(target, search, hand));
  if (spot === null) throw missing(target, search, hand);
  hand.focus = spot.node.name || hand.focus;
  if (spot.node.role === "tab" && spot.node.states.selected === true) {
    hand.note(`${describeSpot(spot)} is open`);
    return;
  }
  yield* pressSpot(spot, () => look(target, search, hand), hand);
}

export function* pressSpot(spot: Spot, find: () => Spot | null, hand: Hand, isDouble = false): Course<ActionReport> {
  const what = describeSpot(spot);
  const before = hand.scene;
  const report = yield* touch(
    { find, action: "click", input: isDouble ? { double: true } : {}, why: `Click ${what}.` },
    spot,
    hand,
  );
  demandSuccess(report, `Clicking ${what}`, hand);
  yield* followTabs(report, hand);
  noteEffect(`Clicked ${what}`, before, report, hand);
  noteSaved(spot.node.name, before, report, hand);
  return report;
}
