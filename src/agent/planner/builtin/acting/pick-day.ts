import { parseDate, parseMonth } from "../../../grounding/dates.ts";
import { ancestorsOf, isInside, type Spot } from "../matching/scene.ts";
import { simplify } from "../matching/words.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";
import { touch } from "./touch.ts";

const MAX_MONTHS = 130;

/** Opens the calendar of a field that cannot be typed into and picks a day. False when no calendar opens. */
export function* pickDay(field: Spot, day: string, find: () => Spot | null, hand: Hand): Course<boolean> {
  if (findCalendar(hand) === null) yield* openCalendar(field, find, hand);
  return yield* pickInCalendar(day, hand);
}

/** Turns the calendar that is open to the month, and picks the day. False when none is open. */
export function* pickInCalendar(day: string, hand: Hand): Course<boolean> {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  for (let turned = 0; turned < MAX_MONTHS; turned++) {
    const calendar = findCalendar(hand);
    if (calendar === null) return false;
    const distance = (year - calendar.year) * 12 + (month - calendar.month);
    if (distance === 0) return yield* pressDay(calendar, date, day, hand);
    yield* turnMonth(calendar, distance > 0, day, hand);
  }
  throw hand.stop("NOT_FOUND", `The calendar did not come to ${day}.`);
}

/** By a click on the field, else by the button beside it. */
function* openCalendar(field: Spot, find: () => Spot | null, hand: Hand): Course {
  yield* touch({ find, action: "click", why: `Open the calendar of ${describeSpot(field)}.` }, field, hand);
  const opener = findCalendar(hand) === null ? findOpener(find() ?? field, hand) : null;
  if (opener?.node.ref == null) return;
  const call = { action: "click", input: { ref: opener.node.ref, label: opener.node.name } };
  yield* hand.act([call], `Open the calendar with ${describeSpot(opener)}.`);
}

function* turnMonth(calendar: Calendar, forward: boolean, day: string, hand: Hand): Course {
  const turn = findTurn(calendar, forward, hand);
  if (turn?.node.ref == null) throw hand.stop("NOT_FOUND", `The calendar does not go to ${day}.`);
  const call = { action: "click", input: { ref: turn.node.ref, label: turn.node.name } };
  const { failure } = yield* hand.act([call], `Turn the calendar ${forward ? "on" : "back"} by a month.`);
  if (failure !== null) throw hand.stop("NOT_FOUND", `The calendar does not go to ${day}: ${failure.message}`);
}

const OPENER = /\b(?:calendar|date|day|pick(?:er)?)\b|📅|🗓/i;

/** The button beside the field that opens its calendar. */
function findOpener(field: Spot, { scene }: Hand): Spot | null {
  for (const around of [...ancestorsOf(field)].slice(0, 3)) {
    const buttons = scene.spots.filter(
      (spot) => isInside(spot, around) && spot.node.ref !== null && spot.node.role === "button",
    );
    const named = buttons.filter(({ node }) => OPENER.test(node.name));
    if (named.length === 1) return named[0] ?? null;
    if (buttons.length === 1) return buttons[0]?.node.name === "" ? (buttons[0] ?? null) : null;
    if (buttons.length > 1) return null;
  }
  return null;
}

interface Calendar {
  readonly year: number;
  readonly month: number;
  readonly title: Spot;
  /** The smallest part of the page with the title and the days. */
  readonly box: Spot;
}

/** A month and a year in words, near at least twenty-eight numbers. */
function findCalendar({ scene }: Hand): Calendar | null {
  for (const spot of scene.spots) {
    const shown = readMonth(scene.textAt(spot));
    if (shown === null) continue;
    const box = [spot, ...ancestorsOf(spot)].find((around) => countDays(around) >= 28);
    if (box !== undefined && box.size < 400) return { ...shown, title: spot, box };
  }
  return null;

  function countDays(around: Spot): number {
    return scene.spots.filter((spot) => isInside(spot, around) && isDay(spot)).length;
  }
}

/** A number of a month, or a button that says the whole date. */
function isDay({ node }: Spot): boolean {
  if (/^\d{1,2}$/.test(node.name))
    return Number(node.name) >= 1 && Number(node.name) <= 31 && node.children.every(({ name }) => name === node.name);
  return node.ref !== null && node.name.length <= 40 && parseDate(node.name, "mdy") !== null;
}

function readMonth(text: string): { year: number; month: number } | null {
  const match = /^(\p{L}+)\s+(\d{4})$/u.exec(text.trim()) ?? /^(\p{L}+)\s*,?\s+(\d{4})$/u.exec(text.trim());
  const month = parseMonth(match?.[1] ?? "");
  return match === null || month === null ? null : { year: Number(match[2]), month };
}

const FORWARD = /^(?:next(?: month)?|forward|›|»|→|>|❯|▶|chevron right)$/i;
const BACKWARD = /^(?:prev(?:ious)?(?: month)?|back(?:ward)?|‹|«|←|<|❮|◀|chevron left)$/i;

function findTurn({ box }: Calendar, forward: boolean, { scene }: Hand): Spot | undefined {
  const pattern = forward ? FORWARD : BACKWARD;
  const places = [box, ...ancestorsOf(box)].slice(0, 3);
  for (const place of places) {
    const turn = scene.spots.find(
      (spot) =>
        isInside(spot, place) &&
        spot.node.ref !== null &&
        (pattern.test(spot.node.name.trim()) || pattern.test(simplify(scene.textAt(spot)))),
    );
    if (turn !== undefined) return turn;
  }
  return undefined;
}

function* pressDay({ box }: Calendar, date: number, day: string, hand: Hand): Course<boolean> {
  const control = findDay(box, date, day, hand);
  if (control?.node.ref == null || !isInside(control, box))
    throw hand.stop("NOT_FOUND", `The calendar does not offer ${day}.`);
  const report = yield* hand.act(
    [{ action: "click", input: { ref: control.node.ref, label: control.node.name } }],
    `Pick ${day} in the calendar.`,
  );
  if (report.failure !== null)
    throw hand.stop("NOT_FOUND", `The calendar does not offer ${day}: ${report.failure.message}`);
  hand.note(`Picked ${day} in the calendar`);
  return true;
}

/** Days of the months before and after stand in the same grid: what comes before the 1st is not ours. */
function findDay(box: Spot, date: number, day: string, { scene }: Hand): Spot | undefined {
  const days = scene.spots.filter((spot) => isInside(spot, box) && isDay(spot));
  const named = days.find(({ node }) => parseDate(node.name, "mdy")?.day === day);
  if (named !== undefined) return named;
  const leaves = days.filter(({ node }) => node.children.length === 0);
  const first = leaves.findIndex(({ node }) => Number(node.name) === 1);
  const spot = leaves.slice(Math.max(0, first)).find(({ node }) => Number(node.name) === date);
  return spot === undefined ? undefined : [spot, ...ancestorsOf(spot)].find(({ node }) => node.ref !== null);
}
