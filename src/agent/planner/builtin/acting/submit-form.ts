import { ancestorsOf, isInside, type Spot } from "../matching/scene.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { pressSpot } from "./press-it.ts";
import { demandSuccess } from "./touch.ts";
import { noteEffect } from "./watch-effects.ts";

const SUBMIT =
  /^(?:submit|send|save|save changes|ok|continue|confirm|apply|done|finish|next|go|search|log ?in|sign in|sign up|register|create account|update)!?$/i;

/** Sends the form that was worked on last: by its button, else with Enter. */
export function* submitForm(hand: Hand, pattern: RegExp = SUBMIT): Course {
  const button = findSubmit(hand, pattern);
  if (button !== null) {
    yield* pressSpot(button, () => findSubmit(hand, pattern), hand);
    return;
  }
  const { last } = hand;
  if (last === null) throw hand.stop("NOT_FOUND", "There is no form to submit on the page.");
  if (pattern !== SUBMIT) return;
  const before = hand.scene;
  const report = yield* hand.act(
    [{ action: "press", input: { key: "Enter", ref: last.ref, label: last.name } }],
    "Submit the form with Enter.",
  );
  demandSuccess(report, "Submitting the form", hand);
  noteEffect("Submitted the form with Enter", before, report, hand);
}

/** The button nearest to the last field; one that says "submit" before one that says something like it. */
function findSubmit({ scene, near }: Hand, pattern: RegExp): Spot | null {
  const buttons = scene.spots.filter(
    ({ node }) => node.role === "button" && node.ref !== null && node.states.disabled !== true,
  );
  const places = near === null ? scene.spots.slice(0, 1) : [...ancestorsOf(near)];
  for (const place of places) {
    const inside = buttons.filter((button) => isInside(button, place));
    const exact = inside.filter(({ node }) => /^submit\b/i.test(node.name));
    const fitting = exact.length > 0 ? exact : inside.filter(({ node }) => pattern.test(node.name.trim()));
    if (fitting.length === 1) return fitting[0] ?? null;
    if (place.node.role === "form" && inside.length === 1 && pattern === SUBMIT) return inside[0] ?? null;
    if (fitting.length > 1) return null;
  }
  return null;
}
