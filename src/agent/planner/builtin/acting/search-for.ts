import { isTextField } from "../matching/roles.ts";
import { ancestorsOf, isInside, type Spot } from "../matching/scene.ts";
import { simplify } from "../matching/words.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";
import { pressSpot } from "./press-it.ts";
import { searchByFields } from "./search-by-fields.ts";
import { demandSuccess, touch } from "./touch.ts";
import { noteEffect } from "./watch-effects.ts";

const SEARCH_WORD = /\b(?:search|find|query|look up|keywords?)\b|^q$/i;
const GO = /^(?:search|go|find|submit|look up|search .{0,20})!?$/i;

/** Finds the page's search field, fills it and sends it off. */
export function* searchFor(query: string, hand: Hand): Course {
  const field = findSearchField(hand);
  if (field === null && (yield* searchByFields(query, hand))) return;
  if (field === null) {
    throw hand.stop("NOT_FOUND", `There is no search field on the page "${hand.observation.title}".`);
  }
  const before = hand.scene;
  const hasButton = findButton(field, hand) !== null;
  const why = `Search for "${query}" in ${describeSpot(field)}.`;
  const report = yield* touch(
    {
      find: () => findSearchField(hand),
      action: "fill",
      input: { text: query, ...(hasButton ? {} : { submit: true }) },
      why,
    },
    field,
    hand,
  );
  demandSuccess(report, `Searching for "${query}"`, hand);
  const again = findSearchField(hand);
  const button = hasButton && again !== null ? findButton(again, hand) : null;
  if (button !== null) yield* pressSpot(button, () => null, hand);
  else noteEffect(`Searched for "${query}"`, before, report, hand);
  hand.focus = null;
}

function findSearchField({ scene }: Hand): Spot | null {
  const fields = scene.spots.filter(
    ({ node }) => node.ref !== null && isTextField(node) && node.states.disabled !== true,
  );
  const rated = fields.map((spot) => ({ spot, score: rate(spot) })).sort((one, other) => other.score - one.score);
  const [best] = rated;
  if (best === undefined) return null;
  return best.score > 0 || fields.length === 1 ? best.spot : null;
}

function rate(spot: Spot): number {
  const { node } = spot;
  let score = 0;
  if (node.role === "searchbox" || node.field?.type === "search") score += 4;
  if ([...ancestorsOf(spot)].some(({ node: around }) => around.role === "search")) score += 3;
  if (SEARCH_WORD.test(node.name) || SEARCH_WORD.test(node.field?.placeholder ?? "")) score += 3;
  if (SEARCH_WORD.test(simplify(node.field?.key ?? ""))) score += 2;
  return score;
}

/** The button beside the field; Enter does where there is none. */
function findButton(field: Spot, { scene }: Hand): Spot | null {
  for (const around of [...ancestorsOf(field)].slice(0, 4)) {
    const buttons = scene.spots.filter(
      (spot) => isInside(spot, around) && spot.node.role === "button" && spot.node.ref !== null,
    );
    const button = buttons.find(({ node }) => GO.test(node.name.trim()));
    if (button !== undefined) return button;
    if (buttons.length > 0 || /^(?:search|form)$/.test(around.node.role)) return null;
  }
  return null;
}
