import { type ObservedNode, textOf, walk } from "../../../../browser/observation/observation.ts";
import { findNextPage } from "../../../extraction/pagination.ts";
import { readRecordSets } from "../../../extraction/read-record-sets.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";

const MAX_ROUNDS = 50;
const LOADING_MS = 700;

/**
 * Scrolls until a list that loads while one scrolls has come to its end. "shifting": rows that have left the window leave
 * the page too, or cannot be scrolled to, so that nobody ever sees the whole list at once.
 */
export function* growList(hand: Hand): Course<"whole" | "shifting"> {
  // A list on several pages is read page by page.
  if (findNextPage(hand.observation.root, hand.observation.url) !== null) return "whole";
  const pane = isCutOff(hand);
  if (!isLong(hand) && !pane) return "whole";
  let known = listRows(hand);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const place = pane ? findHandle(known.at(-1)) : {};
    if (place === null) return "shifting";
    yield* scrollOn(20, place, "Scroll down to see whether the list goes on.", hand);
    if (listRows(hand).length <= known.length) yield* waitForMore(hand);
    const rows = listRows(hand);
    if (hasLost(known, rows)) return "shifting";
    if (rows.length <= known.length) return "whole";
    known = rows;
  }
  return "whole";
}

function* scrollOn(screens: number, place: object, why: string, hand: Hand): Course {
  yield* hand.act([{ action: "scroll", input: { direction: "down", screens, ...place } }], why);
}

function* waitForMore(hand: Hand): Course {
  yield* hand.pause(LOADING_MS);
  yield* scrollOn(5, {}, "See whether more of the list has loaded.", hand);
}

function isLong({ observation: { scroll, viewport } }: Hand): boolean {
  return scroll.pageHeight > viewport.height * 1.2;
}

/** The last row lies below the box that the list stands in: the list scrolls by itself. */
function isCutOff(hand: Hand): boolean {
  const last = listRows(hand).at(-1);
  const spot = hand.scene.spots.find(({ node }) => node === last);
  const box = last?.box ?? null;
  for (let at = spot?.parent ?? null; at !== null && box !== null; at = at.parent) {
    if (at.node.box !== null && box.y > at.node.box.y + at.node.box.height + 10) return true;
  }
  return false;
}

/** Something in the row that an action can be told about. */
function findHandle(row: ObservedNode | undefined): { ref: string; label: string } | null {
  if (row === undefined) return null;
  for (const { node } of walk(row)) if (node.ref !== null) return { ref: node.ref, label: node.name };
  return null;
}

function listRows({ observation }: Hand): ObservedNode[] {
  const sets = readRecordSets(observation.root, observation.url).filter(
    ({ kind, region }) => kind !== "labelled" && region === "main",
  );
  return sets.flatMap(({ rows }) => rows.map(({ node }) => node));
}

function hasLost(known: readonly ObservedNode[], rows: readonly ObservedNode[]): boolean {
  const texts = new Set(rows.map(textOf));
  return known.length > 0 && known.filter((row) => texts.has(textOf(row))).length < known.length / 2;
}
