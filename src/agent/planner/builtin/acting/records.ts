import type { ObservedNode } from "../../../../browser/observation/observation.ts";
import { findNextPage } from "../../../extraction/pagination.ts";
import { readRecordSets } from "../../../extraction/read-record-sets.ts";
import type { RecordSet } from "../../../extraction/record-set.ts";
import { ancestorsOf, isInside, type Spot } from "../matching/scene.ts";
import { similarity } from "../matching/words.ts";
import type { Reading, Target } from "../reading/target.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";

const MAX_PAGES = 50;
/** The numbers and arrows below a list are a list too, but not the one that is meant. */
const PAGER = /^(?:[\d\s›»‹«<>←→…]+|next.*|prev.*)$/i;

/** "the 7th search result", "the first product": the n-th entry of the page's list, on whichever page of it. */
export function* locateRecord(target: Target, hand: Hand): Course<Spot | null> {
  const reading = target.readings.find(
    ({ kind, ordinal, label }) => kind === "record" && ordinal !== null && label === null,
  );
  if (reading?.ordinal == null) return null;
  let passed = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const entries = findEntries(reading, hand);
    if (entries.length === 0) return null;
    const at = reading.ordinal > 0 ? reading.ordinal - 1 - passed : entries.length + reading.ordinal;
    const entry = entries[at];
    if (entry !== undefined) return entry;
    passed += entries.length;
    if (!(yield* turnPage(hand))) return null;
  }
  return null;
}

/** False when there is no next page. */
export function* turnPage(hand: Hand): Course<boolean> {
  const next = findNextPage(hand.observation.root, hand.observation.url) ?? findArrow(hand);
  if (next?.ref == null) return false;
  const report = yield* hand.act(
    [{ action: "click", input: { ref: next.ref, label: next.name } }],
    "Go to the next page of the list.",
  );
  return report.failure === null;
}

/** An arrow beside page numbers, where the list has no other sign of further pages. */
function findArrow({ scene }: Hand): ObservedNode | null {
  const arrows = scene.spots.filter(
    ({ node }) => node.ref !== null && node.url !== null && /^[›»→>]$/.test(node.name.trim()),
  );
  const [first, ...more] = arrows.filter((arrow) => {
    const list = [...ancestorsOf(arrow)].find(({ node }) => node.role === "list" || node.role === "navigation");
    return list !== undefined && scene.spots.some((spot) => isInside(spot, list) && /^\d+$/.test(spot.node.name));
  });
  return first === undefined || more.length > 0 ? null : first.node;
}

function findEntries({ within }: Reading, hand: Hand): Spot[] {
  const sets = readRecordSets(hand.observation.root, hand.observation.url).filter(
    ({ kind, rows }) => kind !== "labelled" && rows.length > 0,
  );
  const named = within === null ? [] : sets.filter(({ name }) => similarity(name, within) >= 0.6);
  const lists = [named, sets.filter(({ region }) => region === "main"), sets].find((some) => some.length > 0) ?? [];
  const entries = lists
    .map((set) => linksOf(set, hand))
    .filter((links) => links.some(({ node }) => !PAGER.test(node.name)));
  const longest = entries.reduce<Spot[]>((most, links) => (links.length > most.length ? links : most), []);
  return longest.length > 0 ? longest : findRepeated(hand);
}

/** Neighbours of one role that each hold a link and some text: a list without the form of one. */
function findRepeated({ scene }: Hand): Spot[] {
  const lists = scene.spots.map((parent) => {
    const children = scene.spots.filter((spot) => spot.parent === parent && spot.size > 2);
    const links = children.flatMap((child) => {
      const inside = scene.spots.filter(
        (spot) => isInside(spot, child) && spot.node.ref !== null && !PAGER.test(spot.node.name),
      );
      const link = inside.find(({ node }) => node.role === "link");
      return link === undefined || new Set(inside.map(({ node }) => node.name)).size > 6 ? [] : [link];
    });
    return links.length >= 2 && links.length === children.length ? links : [];
  });
  return lists.reduce((most, links) => (links.length > most.length ? links : most), []);
}

/** What opens an entry: the link of its title, else the first thing in it that can be clicked. */
function linksOf(set: RecordSet, hand: Hand): Spot[] {
  return set.rows.flatMap((row) => {
    const title = set.titleColumn === null ? undefined : row.cells.get(set.titleColumn);
    const place = hand.scene.spots.find(({ node }) => node === row.node);
    const byTitle = title?.ref == null ? undefined : hand.scene.spots.find(({ node }) => node.ref === title.ref);
    const inside =
      place === undefined ? [] : hand.scene.spots.filter((spot) => isInside(spot, place) && spot.node.ref !== null);
    const spot = byTitle ?? inside.find(({ node }) => node.role === "link") ?? inside[0];
    return spot === undefined ? [] : [spot];
  });
}
