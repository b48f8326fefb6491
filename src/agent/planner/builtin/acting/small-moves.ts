import { textOf } from "../../../../browser/observation/observation.ts";
import type { Part } from "../instruction.ts";
import { findTarget } from "../matching/find-target.ts";
import { fitsKind, isTextField } from "../matching/roles.ts";
import { isInside, type Spot } from "../matching/scene.ts";
import { containsPhrase } from "../matching/words.ts";
import type { Target } from "../reading/target.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import { explore } from "./explore.ts";
import type { Hand } from "./hand.ts";
import { locate, look, missing } from "./locate.ts";
import { turnPage } from "./records.ts";
import { suitsClick, suitsSetting, suitsTyping } from "./suits.ts";
import { demandSuccess, touch } from "./touch.ts";
import { noteEffect } from "./watch-effects.ts";

const MAX_PAGES = 50;

type SmallMove =
  | { readonly action: "hover" | "scroll" }
  | { readonly action: "fill"; readonly text: "" }
  | { readonly action: "press"; readonly key: string };

/** Does one action to one thing that is named, and demands that it works. */
export function* doTo(target: Target, move: SmallMove, hand: Hand): Course {
  const { action, ...input } = move;
  const suits = action === "fill" ? suitsTyping : suitsClick;
  const spot = yield* locate(target, { suits }, hand);
  const [doing, done] = wordsFor(move).map((words) => `${words} ${describeSpot(spot)}`);
  const before = hand.scene;
  const report = yield* touch(
    { find: () => look(target, { suits }, hand), action, input, why: `${doing}.` },
    spot,
    hand,
  );
  demandSuccess(report, `"${doing}"`, hand);
  if (action === "press") noteEffect(done ?? "", before, report, hand);
  else hand.note(done ?? "");
}

function wordsFor(move: SmallMove): [string, string] {
  switch (move.action) {
    case "hover":
      return ["Hover over", "Hovered over"];
    case "scroll":
      return ["Scroll to", "Scrolled to"];
    case "fill":
      return ["Clear", "Cleared"];
    case "press":
      return [`Press ${move.key} in`, `Pressed ${move.key} in`];
  }
}

export function* focusOn(target: Target, hand: Hand): Course {
  const spot = yield* locate(target, { suits: suitsSetting }, hand);
  const report = yield* touch(
    {
      find: () => look(target, { suits: suitsSetting }, hand),
      action: "click",
      why: `Put the cursor into ${describeSpot(spot)}.`,
    },
    spot,
    hand,
  );
  demandSuccess(report, "Putting the cursor there", hand);
  hand.note(`The cursor is in ${describeSpot(spot)}`);
}

export function* drag(target: Target, to: Target, hand: Hand): Course {
  const place = yield* locate(to, { suits: () => 1 }, hand);
  const spot = yield* locate(target, { suits: () => 1 }, hand);
  const input = { to_ref: place.node.ref, to_label: place.node.name };
  const report = yield* touch(
    { find: () => null, action: "drag", input, why: `Drag ${describeSpot(spot)} to ${describeSpot(place)}.` },
    spot,
    hand,
  );
  demandSuccess(report, "Dragging", hand);
  hand.note(`Dragged ${describeSpot(spot)} to ${describeSpot(place)}`);
}

export function* scroll(to: "top" | "bottom" | "down" | "up" | Target, area: Target | null, hand: Hand): Course {
  if (typeof to !== "string") return yield* doTo(to, { action: "scroll" }, hand);
  const direction = to === "top" || to === "up" ? "up" : "down";
  const pane = area === null ? null : yield* locate(area, { suits: () => 1, takesDisabled: true }, hand);
  const ref = pane?.node.ref ?? null;
  const place = ref === null ? {} : { ref, label: pane?.node.name ?? "" };
  for (const screens of to === "top" || to === "bottom" ? FAR : [1]) {
    const report = yield* hand.act(
      [{ action: "scroll", input: { direction, screens, ...place } }],
      `Scroll ${direction}.`,
    );
    // Nothing scrolls any further: that is the end, and what was wanted.
    if (report.failure?.kind === "no_effect") break;
    demandSuccess(report, "Scrolling", hand);
    if (ref === null) break;
  }
  hand.note(`Scrolled ${direction}`);
}

/** An end may be further away than one action goes. The steps differ, because a run that repeats itself is stuck. */
const FAR = [20, 19, 18, 17, 16, 15];

export function* waitSeconds(seconds: number, hand: Hand): Course {
  yield* hand.pause(Math.min(seconds, 60) * 1000);
  yield* hand.act([{ action: "look", input: {} }], `Waited for ${seconds} s.`);
  hand.note(`Waited for ${seconds} s`);
}

export function* awaitText(text: string, gone: boolean, hand: Hand): Course {
  const input = gone ? { gone: text } : { text };
  const report = yield* hand.act(
    [{ action: "wait_for", input: { ...input, timeout_seconds: 15 } }],
    `Wait until "${text}" ${gone ? "is gone" : "appears"}.`,
  );
  if (report.failure !== null) throw hand.stop("NOT_SEEN", `"${text}" did not ${gone ? "go away" : "appear"}.`);
  if (gone) hand.note(`"${text}" is gone`);
  else hand.conditions.push({ kind: "text", url: hand.observation.url, text, about: `The page shows "${text}"` });
}

/** Remembers what is spoken of; goes through closed sections and further pages to see it. */
export function* findIt(target: Target, hand: Hand): Course {
  const labels = target.readings.flatMap(({ label }) => (label === null ? [] : [label]));
  const seen = () =>
    hand.scene.spots.find(
      (spot) => spot.node.children.length === 0 && labels.some((label) => containsPhrase(spot.node.name, label)),
    ) ?? null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const spot = seen() ?? (page === 0 ? yield* explore(seen, "open", hand) : null);
    if (spot !== null) {
      hand.focus = labels.find((label) => containsPhrase(spot.node.name, label)) ?? spot.node.name;
      return;
    }
    if (!(yield* turnPage(hand))) break;
  }
  throw missing(target, { suits: () => 1 }, hand);
}

/** Remembers a text of the page, or a part of it. */
export function* copy(from: Target, part: Part | null, hand: Hand): Course {
  const text = readText(from, hand);
  if (text === null) throw missing(from, { suits: () => 1 }, hand);
  hand.copied = part === null ? text : takePart(text, part);
  if (hand.copied === "") throw hand.stop("NOT_FOUND", `There is nothing to copy in "${from.said}".`);
  hand.note(`Copied from "${from.said}"`);
  yield* [];
}

function readText(from: Target, hand: Hand): string | null {
  const found = findTarget(from, hand.scene, { suits: (node) => (isTextField(node) || node.value !== null ? 1 : 0.9) });
  if (found.kind === "one") return contentOf(found.spot, hand);
  const [reading] = from.readings.filter(({ kind }) => kind === "text" || kind === "textarea");
  const texts = hand.scene.spots.filter(
    ({ node }) =>
      node.role === "paragraph" ||
      (reading !== undefined && reading.kind !== null && node.ref === null && fitsKind(node, reading.kind) === 1),
  );
  const outer = texts.filter((spot) => !texts.some((other) => other !== spot && isInside(spot, other)));
  const at = reading?.ordinal ?? (outer.length === 1 ? 1 : null);
  const spot = at === null ? undefined : outer.at(at > 0 ? at - 1 : at);
  return spot === undefined ? null : contentOf(spot, hand);
}

function contentOf({ node }: Spot, { scene }: Hand): string {
  return (
    node.value ??
    (node.field === null ? textOf(node) : (scene.spots.find((spot) => spot.node === node)?.node.name ?? ""))
  );
}

function takePart(text: string, { unit, ordinal }: Part): string {
  const pieces = text.trim().split(unit === "line" ? /\n+/ : /\s+/);
  const piece = pieces.at(ordinal > 0 ? ordinal - 1 : ordinal) ?? "";
  return unit === "word" ? piece.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "") : piece;
}
