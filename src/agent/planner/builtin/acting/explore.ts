import { keepInPlace } from "../matching/place.ts";
import { ancestorsOf, type Scene, type Spot } from "../matching/scene.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";

const MAX_OPENED = 30;
const MENU_DELAY_MS = 400;

/** How far exploring goes: to what says that it opens, or to every entry of a tree as well. */
type Reach = "open" | "everything";

/** Opens what is closed, one thing after the other, until what is looked for can be seen. */
export function* explore(
  look: () => Spot | null,
  reach: Reach,
  hand: Hand,
  place: string | null = null,
): Course<Spot | null> {
  // What is open at the start has been looked at.
  const tried = new Set(hand.scene.spots.filter(isOpen).map(keyOf));
  const limit = tried.size + MAX_OPENED;
  while (tried.size < limit) {
    const next = findClosed(hand.scene, reach, tried, place);
    if (next === null) return null;
    tried.add(keyOf(next.spot));
    const { ref, name } = next.spot.node;
    if (ref === null) continue;
    const why = `Open ${describeSpot(next.spot)} to look inside.`;
    const report = yield* hand.act([{ action: next.action, input: { ref, label: name } }], why);
    // Menus open a moment after the mouse has come to rest.
    if (report.failure === null && next.action === "hover" && look() === null) yield* wait(ref, name, hand);
    const found = look();
    if (found !== null) return found;
  }
  return null;
}

/** A second look at the same place. It names the element, because a run that only looks again and again is stuck. */
function* wait(ref: string, label: string, hand: Hand): Course {
  yield* hand.pause(MENU_DELAY_MS);
  yield* hand.act([{ action: "hover", input: { ref, label } }], "See whether a menu has opened.");
}

/** Small pictures that open a part of a tree, by what their looks are called. */
const OPENER = /\b(?:expand(?:able|ed)?|collaps(?:e|ed|able|ible)|caret|chevron|disclosure|twisty|unfold)\b.*\d+×\d+$/i;
const OPENER_CLOSED = /\b(?:expand(?:able)?|collapsed|caret right|chevron right|disclosure|twisty|unfold)\b.*\d+×\d+$/i;
const MORE = /^(?:more|more options|options|menu|actions|⋮|⋯|…|\.\.\.)(?: \d+×\d+)?$/i;

interface Closed {
  readonly spot: Spot;
  readonly action: "click" | "hover";
}

/** First what says that it is closed; then menus, which open under the mouse; at last entries of a tree. */
function findClosed(scene: Scene, reach: Reach, tried: ReadonlySet<string>, place: string | null): Closed | null {
  const fresh = scene.spots.filter(
    (spot) => spot.node.ref !== null && spot.node.states.disabled !== true && !tried.has(keyOf(spot)),
  );
  const closed = fresh.find(isClosed);
  if (closed !== undefined) return { spot: closed, action: "click" };
  // In the place that was named, what says that there is more.
  const more =
    place === null
      ? undefined
      : keepInPlace(
          fresh.filter(({ node }) => MORE.test(node.name)),
          place,
          scene,
        )[0];
  if (more !== undefined) return { spot: more, action: "click" };
  const menu = fresh.find(({ node }) => node.role === "menuitem");
  if (menu !== undefined) return { spot: menu, action: "hover" };
  const hasOpeners = scene.spots.some(({ node }) => OPENER.test(node.name));
  const entry = reach === "everything" && !hasOpeners ? fresh.find(isTreeEntry) : undefined;
  return entry === undefined ? null : { spot: entry, action: "click" };
}

function isOpen({ node }: Spot): boolean {
  return (node.role === "tab" && node.states.selected === true) || node.states.expanded === true;
}

/** Only what shows more of the same page: a tab, a closed section, a menu. Never a plain link or button. */
function isClosed(spot: Spot): boolean {
  const { node } = spot;
  if (node.states.expanded === false) return node.role !== "combobox" && node.field === null;
  return node.role === "treeitem" || OPENER_CLOSED.test(node.name) || isClosedTab(spot);
}

/** A tab that holds controls is no tab but the panel of one. */
export function isClosedTab({ node }: Spot): boolean {
  if (node.role !== "tab" || node.states.selected === true || node.states.expanded === true) return false;
  return node.children.every(({ role, ref }) => ref === null || role === "link");
}

/** Something in a list that takes clicks and is no link: folders are often drawn so. */
function isTreeEntry(spot: Spot): boolean {
  const { role, url, field } = spot.node;
  if (url !== null || field !== null || !/^(?:generic|listitem)$/.test(role)) return false;
  return (
    role === "listitem" ||
    [...ancestorsOf(spot)].slice(0, 2).some(({ node }) => /^(?:listitem|list|tree|group)$/.test(node.role))
  );
}

/** Refs change when a section opens; names and places in the page hardly do. */
function keyOf({ node, parent }: Spot): string {
  if (node.ref === null) return "";
  if (node.name === "") return `${node.role} ${node.ref}`;
  // Pictures are all called the same: what they stand beside tells them apart.
  const place = /\d+×\d+$/.test(node.name) ? (parent?.node.name ?? "") : "";
  return `${node.role} ${node.name} ${place}`;
}
