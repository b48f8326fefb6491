import { readDay, readTimeOfDay } from "../english/dates.ts";
import type { Value } from "../instruction.ts";
import { findAll, findTarget } from "../matching/find-target.ts";
import { labelsOf } from "../matching/labels.ts";
import { isCheckable, isChoiceList, isSlider, isTextField } from "../matching/roles.ts";
import type { Spot } from "../matching/scene.ts";
import type { Target } from "../reading/target.ts";
import { choose } from "./choose.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";
import { checkIt, selectIn } from "./handle-field.ts";
import { ambiguous, locateIfThere, look, missing } from "./locate.ts";
import { moveSlider, stepTo } from "./move-slider.ts";
import { pickDay } from "./pick-day.ts";
import { readFromPage } from "./read-from-page.ts";
import { suitsSetting, suitsTyping } from "./suits.ts";
import { demandSuccess, touch } from "./touch.ts";

/** "type X into Y", "set Y to X", whatever sort of field Y turns out to be. */
export function* setField(target: Target | null, value: Value, all: boolean, hand: Hand): Course {
  if (value.from === "page" && /^(?:each|every)\b/i.test(value.described)) return yield* fillByLabels(hand);
  const text = readValue(value, hand);
  if (all && target !== null) return yield* setAll(target, text, hand);
  const spot = target === null ? findOnlyField(hand) : yield* locateField(target, text, hand);
  if (spot === null) return;
  yield* putInto(
    spot,
    text,
    () => (target === null ? findOnlyField(hand) : look(target, { suits: suitsSetting }, hand)),
    hand,
  );
}

/** Null when the value was chosen from what stands under the label, such as radio buttons. */
function* locateField(target: Target, text: string, hand: Hand): Course<Spot | null> {
  const search = { suits: suitsSetting, effort: "open" } as const;
  const found = findTarget(target, hand.scene, { suits: suitsSetting, near: hand.near });
  if (found.kind === "one" && found.score >= 0.8 && !isGroupMember(found.spot)) return found.spot;
  const only = findOnlyOfItsSort(target, text, hand);
  if (only !== null) return only;
  if (found.kind === "several" && found.spots.every(isGroupMember)) {
    yield* choose(text, target, hand);
    return null;
  }
  const spot = yield* locateIfThere(target, search, hand);
  if (spot === null) throw missing(target, search, hand);
  return spot;
}

function isGroupMember({ node }: Spot): boolean {
  return node.role === "radio";
}

/** "as the date", where the page has a single field for such a thing and calls it otherwise. */
function findOnlyOfItsSort(target: Target, text: string, hand: Hand): Spot | null {
  if (findTarget(target, hand.scene, { suits: suitsSetting }).kind !== "none") return null;
  const fields = hand.scene.spots.filter(
    ({ node }) => node.ref !== null && isTextField(node) && node.states.disabled !== true,
  );
  const [only] = fields;
  const isOfSort =
    /\b(?:date|day|time|number|text|value|answer|name)\b/i.test(target.said) || readDay(text, hand.now) !== null;
  return fields.length === 1 && only !== undefined && isOfSort && only.node.name === "" ? only : null;
}

/** Every empty field gets what the page says beside the same label elsewhere. */
function* fillByLabels(hand: Hand): Course {
  const refs = hand.scene.spots
    .filter(({ node }) => node.ref !== null && isTextField(node))
    .map(({ node }) => node.ref);
  for (const ref of refs) {
    const spot = hand.scene.spots.find(({ node }) => node.ref === ref);
    const label = spot === undefined ? undefined : labelsOf(spot, hand.scene).find(({ trust }) => trust > 0.92)?.text;
    if (spot === undefined || label === undefined) continue;
    yield* putInto(spot, readFromPage(label.replace(/[\s:*]+$/, ""), hand), () => null, hand);
  }
}

function* setAll(target: Target, text: string, hand: Hand): Course {
  const refs = findAll(target, hand.scene, { suits: suitsTyping }).map(({ node }) => node.ref);
  if (refs.length === 0) throw missing(target, { suits: suitsTyping }, hand);
  for (const ref of refs) {
    const spot = hand.scene.spots.find(({ node }) => node.ref === ref);
    if (spot !== undefined) yield* putInto(spot, text, () => null, hand);
  }
}

/** Without a field named: the one that has the focus, or the only one there is. */
function findOnlyField(hand: Hand): Spot {
  const fields = hand.scene.spots.filter(
    ({ node }) => node.ref !== null && isTextField(node) && node.states.disabled !== true,
  );
  const inFront =
    hand.scene.dialog === null ? fields : fields.filter((spot) => spot.index > (hand.scene.dialog?.index ?? 0));
  const candidates = inFront.length > 0 ? inFront : fields;
  const focused = candidates.find(({ node }) => node.states.active === true);
  const [only] = candidates;
  if (focused !== undefined) return focused;
  if (only !== undefined && candidates.length === 1) return only;
  const said = { said: "the field to type into", readings: [] };
  throw only === undefined ? missing(said, { suits: suitsTyping }, hand) : ambiguous(said, candidates, hand);
}

export function* putInto(spot: Spot, text: string, find: () => Spot | null, hand: Hand): Course {
  const { node } = spot;
  if (isCheckable(node))
    return yield* checkIt(spot, /^(?:on|yes|true|checked|enabled|ticked|1)$/i.test(text), find, hand);
  if (isChoiceList(node)) {
    yield* selectIn(spot, [text], find, hand);
    return;
  }
  if (isSlider(node)) return yield* moveSlider(spot, text, find, hand);
  yield* type(spot, text, find, hand);
}

function* type(spot: Spot, text: string, find: () => Spot | null, hand: Hand): Course {
  const { node } = spot;
  const isSecret = node.field?.isSecret === true;
  const shown = isSecret ? "the given secret" : `"${text}"`;
  const written = toFieldFormat(text, node.field?.type ?? "", hand);
  const why = `Enter ${shown} into ${describeSpot(spot)}.`;
  const report = yield* touch({ find, action: "fill", input: { text: written }, why }, spot, hand);
  if (report.failure?.kind === "no_effect" && node.role === "spinbutton") return yield* stepTo(spot, text, hand);
  const day = readDay(text, hand.now);
  if (report.failure !== null && day !== null && (yield* pickDay(spot, day, find, hand))) return;
  demandSuccess(report, why.slice(0, -1), hand);
  hand.note(`Entered ${shown} into ${describeSpot(spot)}`);
  const label = node.name || node.field?.placeholder || "";
  if (isSecret || label === "" || report.urlBefore !== report.urlAfter) return;
  const about = `${describeSpot(spot)} holds ${shown}`;
  hand.conditions.push({ kind: "field", url: report.urlAfter, label, value: written, isSaved: false, about });
}

/** What the browser's own date and time fields take. */
function toFieldFormat(text: string, type: string, { now }: Hand): string {
  if (type === "date") return readDay(text, now) ?? text;
  if (type === "time") return readTimeOfDay(text) ?? text;
  if (type === "number" || type === "range") return text.replace(/,(?=\d{3}\b)/g, "");
  return text;
}

function readValue(value: Value, hand: Hand): string {
  if (value.from === "task") return value.text;
  if (value.from === "page") return readFromPage(value.described, hand);
  if (hand.copied !== null) return hand.copied;
  throw hand.stop("NOTHING_COPIED", "The task speaks of something that was copied or found before, and nothing was.");
}
