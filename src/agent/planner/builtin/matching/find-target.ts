import type { ObservedNode } from "../../../../browser/observation/observation.ts";
import type { Reading, Target } from "../reading/target.ts";
import { labelsOf } from "./labels.ts";
import { keepInPlace } from "./place.ts";
import { fitsKind, isLooseKind } from "./roles.ts";
import { isInside, type Scene, type Spot } from "./scene.ts";
import { similarity } from "./words.ts";

export type Found =
  | { readonly kind: "one"; readonly spot: Spot; readonly score: number }
  /** Equally good, and not the same: nobody can tell which is meant. */
  | { readonly kind: "several"; readonly spots: readonly Spot[]; readonly score: number }
  | { readonly kind: "none"; readonly nearest: readonly Spot[] };

export interface Wish {
  /** How well a node of this sort serves, from 0 (not at all) to 1. */
  readonly suits: (node: ObservedNode) => number;
  /** To read or scroll something it need not be enabled. */
  readonly takesDisabled?: boolean;
  /** Words of something that was mentioned before: of equals, the ones around it are meant. */
  readonly focus?: string | null;
  /** The thing last acted on: of equals, the one nearest to it in the same part of the page is meant. */
  readonly near?: Spot | null;
}

/** Below it a label is about something else. */
const LEAST = 0.6;
/** Scores nearer than this do not tell things apart. */
const HAIR = 0.012;

/** The one thing on the page that is meant, if there is one. */
export function findTarget(target: Target, scene: Scene, wish: Wish): Found {
  const groups = target.readings.map((reading) => readScene(reading, scene, wish));
  const best = groups.reduce<Group | null>(
    (top, group) => (group.score > (top?.score ?? 0) + HAIR ? group : top),
    null,
  );
  if (best === null || best.score < LEAST) return { kind: "none", nearest: findNearest(target, scene, wish) };
  const spots = tellApart(best.spots, scene, wish);
  const [spot] = spots;
  if (spot === undefined) return { kind: "none", nearest: [] };
  return spots.length === 1 ? { kind: "one", spot, score: best.score } : { kind: "several", spots, score: best.score };
}

/** All that fit as well as the best one does. */
export function findAll(target: Target, scene: Scene, wish: Wish): readonly Spot[] {
  const found = findTarget(target, scene, { suits: wish.suits });
  if (found.kind === "none") return [];
  return found.kind === "one" ? [found.spot] : found.spots;
}

interface Group {
  readonly score: number;
  readonly spots: readonly Spot[];
}

interface Scored {
  readonly spot: Spot;
  readonly score: number;
}

const NOTHING: Group = { score: 0, spots: [] };

function readScene(reading: Reading, scene: Scene, wish: Wish): Group {
  const pool = scene.spots.filter(
    ({ node }) =>
      node.ref !== null && (node.states.disabled !== true || wish.takesDisabled === true) && wish.suits(node) > 0,
  );
  const inDialog =
    scene.dialog === null ? [] : pool.filter((spot) => scene.dialog !== null && isInside(spot, scene.dialog));
  const front = inDialog.length === 0 ? NOTHING : readPool(reading, inDialog, scene, wish);
  return front.score >= 0.75 ? front : readPool(reading, pool, scene, wish);
}

function readPool(reading: Reading, pool: readonly Spot[], scene: Scene, wish: Wish): Group {
  const scored = pool
    .map((spot) => ({ spot, score: rate(spot, reading, scene, wish) }))
    .filter(({ score }) => score >= LEAST);
  const placed = reading.within === null ? scored : keepPlaced(scored, reading.within, scene);
  const best = Math.max(0, ...placed.map(({ score }) => score));
  if (best === 0) return NOTHING;
  if (reading.ordinal !== null || reading.isAny === true) return pickOrdinal(placed, reading.ordinal ?? 1, best);
  return { score: best, spots: placed.filter(({ score }) => score >= best - HAIR).map(({ spot }) => spot) };
}

function keepPlaced(scored: readonly Scored[], place: string, scene: Scene): Scored[] {
  const kept = new Set(
    keepInPlace(
      scored.map(({ spot }) => spot),
      place,
      scene,
    ),
  );
  return scored.filter(({ spot }) => kept.has(spot));
}

/** Counted are the things that fit nearly as well as the best one. */
function pickOrdinal(placed: readonly Scored[], ordinal: number, best: number): Group {
  const counted = dropNested(placed.filter(({ score }) => score >= best - 0.1).map(({ spot }) => spot));
  const spot = counted.at(ordinal > 0 ? ordinal - 1 : ordinal);
  return spot === undefined ? NOTHING : { score: best, spots: [spot] };
}

function rate(spot: Spot, { label, kind, isQuoted, ordinal, isAny }: Reading, scene: Scene, { suits }: Wish): number {
  const fit = kind === null ? null : fitsKind(spot.node, kind);
  if (fit === 0) return 0;
  const suited = suits(spot.node);
  if (label === null) {
    // "the item", "the page": without a name or a number that may be anything.
    const isVague =
      kind === null ||
      fit === null ||
      (isLooseKind(kind) && (kind === "record" || (ordinal === null && isAny !== true)));
    return isVague ? 0 : 0.9 * fit + 0.05 * suited;
  }
  const best = Math.max(
    0,
    ...labelsOf(spot, scene).map(({ text, trust }) => rateLabel(similarity(text, label), trust, isQuoted)),
  );
  if (best === 0) return 0;
  return best + (fit === null ? 0 : (fit - 0.8) * 0.1) + (suited - 1) * 0.1;
}

/** What stands in quotation marks is the label itself; without them it may be a part or another word for it. */
function rateLabel(likeness: number, trust: number, isQuoted: boolean): number {
  if (isQuoted && likeness < 0.7) return 0;
  return likeness * trust;
}

/** Of equals: those around what was mentioned, then those in the same part of the page as the last step. */
function tellApart(spots: readonly Spot[], scene: Scene, { focus, near }: Wish): readonly Spot[] {
  let left: readonly Spot[] = dropOverlaid(dropTwins(dropNested(spots), scene.observation.url));
  if (left.length > 1 && focus) {
    const around = keepInPlace(left, focus, scene);
    if (around.length > 0) left = around;
  }
  if (left.length > 1 && near) left = keepNearest(left, near);
  if (left.length > 1) left = keepMain(left);
  return left;
}

/** A link around a button, a tab around a link: one thing. The inner one is the control. */
function dropNested(spots: readonly Spot[]): Spot[] {
  return spots.filter((spot) => !spots.some((other) => other !== spot && isInside(other, spot)));
}

/** Two links to one address are the same; two equal buttons are not. */
function dropTwins(spots: readonly Spot[], pageUrl: string): Spot[] {
  return spots.filter((spot, index) => {
    const { url } = spot.node;
    // A link to "#" is a button in disguise.
    if (url === null || url === `${pageUrl.split("#")[0]}#` || !/^https?:/.test(url)) return true;
    return spots.findIndex((other) => other.node.url === url) === index;
  });
}

/** One name, one place: the same thing drawn twice, or a picture over its button. */
function dropOverlaid(spots: readonly Spot[]): Spot[] {
  return spots.filter(
    (spot, index) => !spots.slice(0, index).some((other) => other.node.name === spot.node.name && overlap(spot, other)),
  );
}

function overlap({ node: { box: one } }: Spot, { node: { box: other } }: Spot): boolean {
  if (one === null || other === null) return false;
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  const smaller = Math.min(one.width * one.height, other.width * other.height);
  return width > 0 && height > 0 && width * height > smaller / 2;
}

function keepNearest(spots: readonly Spot[], near: Spot): readonly Spot[] {
  const depths = spots.map((spot) => sharedDepth(spot, near));
  const deepest = Math.max(...depths);
  const kept = spots.filter((_spot, index) => depths[index] === deepest);
  return kept.length === 1 ? kept : spots;
}

function sharedDepth(one: Spot, other: Spot): number {
  for (let at: Spot | null = one; at !== null; at = at.parent) if (isInside(other, at)) return at.depth;
  return 0;
}

const AROUND: ReadonlySet<string> = new Set(["banner", "contentinfo", "navigation", "complementary"]);

/** What the page is about comes before what stands on every page. */
function keepMain(spots: readonly Spot[]): readonly Spot[] {
  const main = spots.filter((spot) => {
    for (let at: Spot | null = spot; at !== null; at = at.parent) if (AROUND.has(at.node.role)) return false;
    return true;
  });
  return main.length === 1 ? main : spots;
}

function findNearest(target: Target, scene: Scene, wish: Wish): Spot[] {
  const labels = target.readings.flatMap(({ label }) => (label === null ? [] : [label]));
  const scored = scene.spots
    .filter(({ node }) => node.ref !== null && wish.suits(node) > 0 && node.name !== "")
    .map((spot) => ({ spot, score: Math.max(0, ...labels.map((label) => similarity(spot.node.name, label))) }));
  return scored
    .filter(({ score }) => score >= 0.2)
    .sort((one, other) => other.score - one.score)
    .slice(0, 3)
    .map(({ spot }) => spot);
}
