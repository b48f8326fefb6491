import type { ObservedNode } from "../../../../browser/observation/observation.ts";
import type { ActionReport } from "../../../actions/action.ts";
import { isChoiceList } from "../matching/roles.ts";
import type { Spot } from "../matching/scene.ts";
import { similarity, stem, toWords } from "../matching/words.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { selectIn } from "./handle-field.ts";
import { pressSpot } from "./press-it.ts";
import { submitForm } from "./submit-form.ts";

type Direction = "ascending" | "descending";

const RISING =
  /\b(?:low(?:est)?\s*(?:to|first|-)|ascending|asc|a\s*(?:-|–|to)\s*z|cheapest|oldest|smallest|earliest|increasing)\b|↑|▲/i;
const FALLING =
  /\b(?:high(?:est)?\s*(?:to|first|-)|descending|desc|z\s*(?:-|–|to)\s*a|most|newest|latest|largest|decreasing|best|top)\b|↓|▼/i;
const MAX_CLICKS = 3;

/** By a list of orders, else by the header of a column. */
export function* sortList(by: string, direction: Direction | null, hand: Hand): Course {
  const order = findOrder(by, direction, hand);
  if (order !== null) {
    const report = yield* selectIn(order.list, [order.option], () => null, hand);
    // Some lists only take effect with the button beside them.
    if (!hasReloaded(report)) yield* submitForm(hand, /^(?:sort|apply|go|update|ok|show|refresh)(?: \w+)?$/i);
    return;
  }
  const isDone = yield* sortByHeader(by, direction, hand);
  if (!isDone) throw hand.stop("NOT_FOUND", `Nothing on the page sorts by "${by}".`);
}

function hasReloaded({ urlBefore, urlAfter, events }: ActionReport): boolean {
  return urlBefore !== urlAfter || events.requests.length > 0;
}

function findOrder(by: string, direction: Direction | null, { scene }: Hand): { list: Spot; option: string } | null {
  const lists = scene.spots.filter(({ node }) => node.ref !== null && isChoiceList(node));
  const rated = lists.flatMap((list) =>
    optionsOf(list.node).map((option) => ({
      list,
      option,
      score: rateOrder(option, by, direction) + (/\b(?:sort|order)/i.test(list.node.name) ? 0.2 : 0),
    })),
  );
  const best = rated.sort((one, other) => other.score - one.score)[0];
  return best === undefined || best.score < 0.6 ? null : best;
}

function optionsOf(node: ObservedNode): string[] {
  return node.role === "option" ? [node.name] : node.children.flatMap(optionsOf);
}

function rateOrder(option: string, by: string, direction: Direction | null): number {
  const way = FALLING.test(option) ? "descending" : RISING.test(option) ? "ascending" : null;
  const wanted = direction ?? "ascending";
  if (similarity(option, by) >= 0.9) return 1.2;
  const words = new Set(toWords(option).map(stem));
  const isAbout = toWords(by)
    .map(stem)
    .every((word) => words.has(word));
  if (!isAbout) return 0;
  if (way === null) return 0.7;
  return way === wanted ? 1 : direction === null ? 0.65 : 0.1;
}

function* sortByHeader(by: string, direction: Direction | null, hand: Hand): Course<boolean> {
  for (let clicks = 0; clicks < MAX_CLICKS; clicks++) {
    const header = findHeader(by, hand);
    if (header === null) return false;
    const { sort } = header.column.node.states;
    if (sort !== undefined && (direction === null || sort === direction)) return true;
    if (clicks > 0 && sort === undefined && (direction === null || direction === "ascending")) return true;
    if (clicks > 1 && sort === undefined) return true;
    yield* pressSpot(header.control, () => null, hand);
  }
  throw hand.stop("NO_EFFECT", `The column "${by}" could not be sorted ${direction ?? ""}.`);
}

function findHeader(by: string, { scene }: Hand): { column: Spot; control: Spot } | null {
  const columns = scene.spots.filter(
    (spot) => spot.node.role === "columnheader" && similarity(scene.textAt(spot), by) >= 0.6,
  );
  const [column] = columns.sort(
    (one, other) => similarity(scene.textAt(other), by) - similarity(scene.textAt(one), by),
  );
  if (column === undefined) return null;
  const control = scene.spots.slice(column.index, column.index + column.size).findLast(({ node }) => node.ref !== null);
  return control === undefined ? null : { column, control };
}
