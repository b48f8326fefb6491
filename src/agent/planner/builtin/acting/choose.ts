import type { ObservedNode } from "../../../../browser/observation/observation.ts";
import { readDay } from "../english/dates.ts";
import { takeOrdinal } from "../english/ordinals.ts";
import { findTarget } from "../matching/find-target.ts";
import { keepInPlace } from "../matching/place.ts";
import { isCheckable, isChoiceList } from "../matching/roles.ts";
import { ancestorsOf, type Spot } from "../matching/scene.ts";
import { type Target, targetOf } from "../reading/target.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { checkIt, selectIn } from "./handle-field.ts";
import { ambiguous, locateIfThere, look, missing } from "./locate.ts";
import { pickInCalendar } from "./pick-day.ts";
import { click, pressSpot } from "./press-it.ts";
import { suitsChoosing, suitsList } from "./suits.ts";

/** "select red, green and blue from the list", "choose express delivery". */
export function* choose(options: string, from: Target | null, hand: Hand): Course {
  const day = from === null || /\bcalendar\b/i.test(from.said) ? readDay(options, hand.now) : null;
  if (day !== null && (yield* pickInCalendar(day, hand))) return;
  const list = from === null ? null : yield* findList(from, hand);
  if (list !== null) {
    const pieces = findByOrdinal(options, list.node) ?? splitOptions(options, (piece) => hasOption(list.node, piece));
    yield* selectIn(list, pieces, () => (from === null ? null : look(from, { suits: suitsList }, hand)), hand);
    return;
  }
  const place = from?.said ?? null;
  yield* awaitOption(options, place, hand);
  const pieces = splitOptions(options, (piece) => findOption(piece, place, hand) !== null);
  if (pieces.length === 1 && findOption(pieces[0] ?? "", place, hand) === null) {
    return yield* click(targetOf(options), false, hand);
  }
  yield* takeEach(pieces, place, hand);
}

const PLACEHOLDER =
  /^(?:|-+.*|please (?:choose|select).*|(?:choose|select|pick)(?: (?:an?|one|your)\b.*|\.\.\.|…)?|none|any)$/i;

/** "the first option": what only asks to choose is none. */
function findByOrdinal(options: string, list: ObservedNode): string[] | null {
  const ordinal = takeOrdinal(`${options.replace(/^the /i, "")} option`);
  if (ordinal === null || !/^(?:option|item|entry|one|choice)\b/i.test(ordinal.rest)) return null;
  const names = optionsOf(list).filter((name) => !PLACEHOLDER.test(name.trim()));
  const name = names.at(ordinal.ordinal > 0 ? ordinal.ordinal - 1 : ordinal.ordinal);
  return name === undefined ? null : [name];
}

function optionsOf(node: ObservedNode): string[] {
  return node.role === "option" ? [node.name] : node.children.flatMap(optionsOf);
}

function* findList(from: Target, hand: Hand): Course<Spot | null> {
  const found = findTarget(from, hand.scene, { suits: suitsList, near: hand.near });
  if (found.kind === "one") return found.spot;
  if (found.kind === "several") throw ambiguous(from, found.spots, hand);
  const lists = hand.scene.spots.filter(({ node }) => node.ref !== null && isChoiceList(node));
  const isAnyList = from.readings.some(({ kind, label }) => kind === "list" && label === null);
  return isAnyList && lists.length === 1 ? (lists[0] ?? null) : null;
}

/** A page may show its options late. */
function* awaitOption(options: string, place: string | null, hand: Hand): Course {
  const first = options.split(/\s*,\s*|\s+and\s+/)[0] ?? options;
  if (findOption(options, place, hand) !== null || findOption(first, place, hand) !== null) return;
  yield* locateIfThere(targetOf(first, { isQuoted: false }), { suits: suitsChoosing, effort: "open" }, hand);
}

function* takeEach(pieces: readonly string[], place: string | null, hand: Hand): Course {
  const inLists = new Map<string, string[]>();
  for (const piece of pieces) {
    const spot = findOption(piece, place, hand);
    if (spot === null) throw missing(targetOf(piece), { suits: suitsChoosing }, hand);
    const list = listOf(spot);
    if (list?.node.ref == null) yield* take(spot, piece, place, hand);
    else inLists.set(list.node.ref, [...(inLists.get(list.node.ref) ?? []), spot.node.name]);
  }
  for (const [ref, names] of inLists) {
    const list = hand.scene.spots.find(({ node }) => node.ref === ref);
    if (list === undefined) throw hand.stop("CHANGED", "The list went away while its options were being chosen.");
    yield* selectIn(list, names, () => null, hand);
  }
}

function* take(spot: Spot, piece: string, place: string | null, hand: Hand): Course {
  const again = () => findOption(piece, place, hand);
  if (isCheckable(spot.node)) yield* checkIt(spot, true, again, hand);
  else {
    yield* pressSpot(spot, again, hand);
    hand.forgetTyped();
  }
}

/** Only a good match counts: options are named by their words. */
function findOption(piece: string, place: string | null, hand: Hand): Spot | null {
  const target = targetOf(piece, { isQuoted: false });
  const within =
    place === null
      ? target
      : { ...target, readings: target.readings.map((reading) => ({ ...reading, within: place })) };
  const placed = findTarget(within, hand.scene, { suits: suitsChoosing, near: hand.near, focus: hand.focus });
  const found =
    placed.kind === "none"
      ? findTarget(target, hand.scene, { suits: suitsChoosing, near: hand.near, focus: hand.focus })
      : placed;
  if (found.kind === "none" || found.score < 0.65) return null;
  if (found.kind === "one") return found.spot;
  const chosen = preferOptions(found.spots);
  if (chosen.length === 1) return chosen[0] ?? null;
  const around = place === null ? [] : keepInPlace(chosen, place, hand.scene);
  if (around.length === 1) return around[0] ?? null;
  throw ambiguous(target, found.spots, hand);
}

/** Beside an option of that name, a text that can be clicked is usually its label. */
function preferOptions(spots: readonly Spot[]): readonly Spot[] {
  const options = spots.filter(({ node }) => node.role === "option" || isCheckable(node));
  return options.length > 0 ? options : spots;
}

/** The native list of an option; one that the page draws itself is clicked. */
function listOf(spot: Spot): Spot | null {
  if (spot.node.role !== "option") return null;
  const list = [...ancestorsOf(spot)].find(({ node }) => isChoiceList(node));
  return list?.node.field?.type === "select" ? list : null;
}

function hasOption(list: ObservedNode, piece: string): boolean {
  return list.children.some((child) => isSame(child.name, piece) || hasOption(child, piece));
}

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** "Bread and butter, jam and tea": an option may contain a comma or "and", so the longest known ones are taken first. */
function splitOptions(text: string, isKnown: (piece: string) => boolean): string[] {
  if (isKnown(text)) return [text];
  const parts = text.split(/(\s*,\s*(?:and\s+)?|\s+and\s+)/i);
  const pieces: string[] = [];
  for (let start = 0; start < parts.length; ) {
    const end = findLongest(parts, start, isKnown);
    if (end === null) return text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i).filter((piece) => piece !== "");
    pieces.push(parts.slice(start, end).join(""));
    start = end + 1;
  }
  return pieces;
}

function findLongest(parts: readonly string[], start: number, isKnown: (piece: string) => boolean): number | null {
  for (let end = parts.length; end > start; end -= 2) if (isKnown(parts.slice(start, end).join(""))) return end;
  return null;
}
