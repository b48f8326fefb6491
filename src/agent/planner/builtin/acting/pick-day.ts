import { parseMonth } from "../../../extraction/values/date.ts";
import { ancestorsOf, isInside, type Spot } from "../matching/scene.ts";
import { simplify } from "../matching/words.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";
import { touch } from "./touch.ts";

const MAX_MONTHS = 130;

/** Opens the calendar of a field that cannot be typed into and picks a day. False when no calendar opens. */
export function* pickDay(field: Spot, day: string, find: () => Spot | null, hand: Hand): Course<boolean> {
  if (findCalendar(hand) === null) {
    const report = yield* touch(
      { find, action: "click", why: `Open the calendar of ${describeSpot(field)}.` },
      field,
      hand,
    );
    if (report.failure !== null) return false;
  }
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  for (let turned = 0; turned < MAX_MONTHS; turned++) {
    const calendar = findCalendar(hand);
    if (calendar === null) return false;
    const distance = (year - calendar.year) * 12 + (month - calendar.month);
    if (distance === 0) return yield* pressDay(calendar, date, day, hand);
    const turn = findTurn(calendar, distance > 0, hand);
    if (turn?.node.ref == null) throw hand.stop("NOT_FOUND", `The calendar does not go to ${day}.`);
    const report = yield* hand.act(
      [{ action: "click", input: { ref: turn.node.ref, label: turn.node.name } }],
      `Turn the calendar ${distance > 0 ? "on" : "back"} by a month.`,
    );
    if (report.failure !== null)
      throw hand.stop("NOT_FOUND", `The calendar does not go to ${day}: ${report.failure.message}`);
  }
  throw hand.stop("NOT_FOUND", `The calendar did not come to ${day}.`);
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

function isDay({ node }: Spot): boolean {
  return (
    /^\d{1,2}$/.test(node.name) &&
    Number(node.name) >= 1 &&
    Number(node.name) <= 31 &&
    node.children.every(({ name }) => name === node.name)
  );
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

/** Days of the months before and after stand in the same grid: the first 25 or later before the 1st is not ours. */
function* pressDay({ box }: Calendar, date: number, day: string, hand: Hand): Course<boolean> {
  const days = hand.scene.spots.filter((spot) => isInside(spot, box) && isDay(spot) && spot.node.children.length === 0);
  const first = days.findIndex(({ node }) => Number(node.name) === 1);
  const spot = days.slice(Math.max(0, first)).find(({ node }) => Number(node.name) === date);
  const control = spot === undefined ? undefined : [spot, ...ancestorsOf(spot)].find(({ node }) => node.ref !== null);
  if (control?.node.ref == null || !isInside(control, box))
    throw hand.stop("NOT_FOUND", `The calendar does not offer ${day}.`);
  const report = yield* hand.act(
    [{ action: "click", input: { ref: control.node.ref, label: control.node.name } }],
    `Pick ${day} in the calendar.`,
  );
  if (report.failure !== null)
    throw hand.stop("NOT_FOUND", `The calendar does not offer ${day}: ${report.failure.message}`);
  hand.note(`${day} is picked in the calendar`);
  return true;
}
