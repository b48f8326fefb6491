import { findTarget } from "../matching/find-target.ts";
import { keepInPlace } from "../matching/place.ts";
import type { Spot } from "../matching/scene.ts";
import { containsPhrase } from "../matching/words.ts";
import type { Target } from "../reading/target.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { locateIfThere, missing } from "./locate.ts";
import { open, pressSpot } from "./press-it.ts";
import { searchFor } from "./search-for.ts";
import { putInto } from "./set-field.ts";
import { suitsClick, suitsOpening, suitsSetting } from "./suits.ts";

/** "add two of the red mugs to the cart": how many, then the button that belongs to the product. */
export function* addToCart(count: number, product: Target | null, to: string, hand: Hand): Course {
  if (product !== null && !isAbout(product, hand)) yield* bringUp(product, to, hand);
  const place = product?.said ?? hand.focus;
  const button = findButton(place, to, hand);
  if (button === null) {
    const found = yield* locateIfThere(buttonFor(to), { suits: suitsClick, effort: "look" }, hand);
    if (found === null) throw missing(buttonFor(to), { suits: suitsClick }, hand);
  }
  if (count !== 1) yield* setQuantity(count, place, hand);
  const ready = findButton(place, to, hand);
  if (ready === null) throw missing(buttonFor(to), { suits: suitsClick }, hand);
  yield* pressSpot(ready, () => findButton(place, to, hand), hand);
  noteContents(place, to, hand);
}

/** Where the shop shows the cart afterwards, the product must stand in it. */
function noteContents(place: string | null, to: string, { scene, observation, conditions }: Hand): void {
  const isCart = new RegExp(`\\b${to}\\b`, "i").test(
    `${observation.title} ${URL.parse(observation.url)?.pathname ?? ""}`,
  );
  const line =
    place === null || !isCart
      ? undefined
      : scene.spots.find(({ node }) => node.role === "link" && containsPhrase(node.name, place));
  if (line === undefined) return;
  conditions.push({
    kind: "text",
    url: observation.url,
    text: line.node.name,
    about: `The ${to} holds "${line.node.name}"`,
  });
}

/** The page is the product's own: its title or main heading says so. */
function isAbout(product: Target, { scene, observation }: Hand): boolean {
  const names = product.readings.flatMap(({ label }) => (label === null ? [] : [label]));
  const headings = scene.spots
    .filter(({ node }) => node.role === "heading" && node.states.level === 1)
    .map((spot) => scene.textAt(spot));
  return names.some((name) => [observation.title, ...headings].some((text) => containsPhrase(text, name)));
}

/** In a list the product may have a button of its own; else its page is opened, after a search where it is not in sight. */
function* bringUp(product: Target, to: string, hand: Hand): Course {
  const buttons = listButtons(to, hand);
  if (buttons.length > 0 && keepInPlace(buttons, product.said, hand.scene).length === 1) return;
  if ((yield* locateIfThere(product, { suits: suitsOpening, effort: "look" }, hand)) === null)
    yield* searchFor(product.said, hand);
  yield* open(product, hand);
}

function findButton(place: string | null, to: string, hand: Hand): Spot | null {
  const buttons = listButtons(to, hand);
  if (buttons.length === 1) return buttons[0] ?? null;
  const around = place === null ? [] : keepInPlace(buttons, place, hand.scene);
  if (around.length === 1) return around[0] ?? null;
  const found = findTarget(buttonFor(to), hand.scene, { suits: suitsClick, near: hand.near, focus: place });
  return found.kind === "one" ? found.spot : null;
}

function listButtons(to: string, hand: Hand): Spot[] {
  const found = findTarget(buttonFor(to), hand.scene, { suits: suitsClick });
  if (found.kind === "none" || found.score < 0.7) return [];
  return found.kind === "one" ? [found.spot] : [...found.spots];
}

function buttonFor(to: string): Target {
  const places = [to, "cart", "basket", "bag"];
  const labels = [...new Set(places)].flatMap((place) => [
    `Add to ${place}`,
    `Add to your ${place}`,
    `Add to shopping ${place}`,
  ]);
  const readings = labels.map((label) => ({ label, isQuoted: true, kind: null, ordinal: null, within: null }));
  return { said: `the button that adds to the ${to}`, readings };
}

const QUANTITY: Target = {
  said: "the quantity",
  readings: ["Quantity", "Qty", "Amount", "How many"].map((label) => ({
    label,
    isQuoted: false,
    kind: null,
    ordinal: null,
    within: null,
  })),
};

function* setQuantity(count: number, place: string | null, hand: Hand): Course {
  const found = findTarget(QUANTITY, hand.scene, { suits: suitsSetting, focus: place });
  if (found.kind !== "one") throw hand.stop("NOT_FOUND", `There is no field for the quantity ${count} on the page.`);
  yield* putInto(found.spot, String(count), () => null, hand);
}
