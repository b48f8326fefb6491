import { labelsOf } from "../matching/labels.ts";
import { isTextField } from "../matching/roles.ts";
import type { Scene, Spot } from "../matching/scene.ts";
import { stem, toWords } from "../matching/words.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { pressSpot } from "./press-it.ts";
import { putInto } from "./set-field.ts";
import { submitForm } from "./submit-form.ts";

/** One thing that the query says about what is looked for, and the word that tells which field it belongs to. */
interface Qualifier {
  readonly cue: string;
  readonly value: string;
}

const QUALIFIER =
  /\s+(?:(\w{3,}ed)\s+(?:by|in|on)|(?:from|in|of|with)\s+(?:the\s+)?(year|month|city|town|country|state|category|genre|author|title|name|brand|colou?r|size|language|price))\s+/gi;

const GO = /^(?:search|submit|go|find)!?$/i;

/** "crime movies directed by Curry from year 1995" → directed: Curry, year: 1995, and "crime" as what kind of movies. */
function splitQuery(query: string): { readonly head: string; readonly qualifiers: readonly Qualifier[] } {
  const cuts = [...query.matchAll(QUALIFIER)];
  const head = query.slice(0, cuts[0]?.index ?? query.length).trim();
  const qualifiers = cuts.map((cut, index) => ({
    cue: (cut[1] ?? cut[2] ?? "").toLowerCase(),
    value: query.slice(cut.index + cut[0].length, cuts[index + 1]?.index ?? query.length).trim(),
  }));
  return { head: head.replace(/\s+\p{L}+s$/u, ""), qualifiers };
}

/** Where a page has no search field but one field for each thing: each qualifier to its own, the rest to the one left. */
export function* searchByFields(query: string, hand: Hand): Course<boolean> {
  const { head, qualifiers } = splitQuery(query);
  const places = qualifiers.length === 0 ? null : assign(head, qualifiers, hand.scene);
  if (places === null) return false;
  for (const { ref, value } of places) {
    const spot = hand.scene.spots.find(({ node }) => node.ref === ref);
    if (spot === undefined) return false;
    yield* putInto(spot, value, () => null, hand);
  }
  const buttons = hand.scene.spots.filter(
    ({ node }) => node.ref !== null && (node.role === "button" || GO.test(node.name)),
  );
  const [only] = buttons;
  if (only === undefined || buttons.length > 1) yield* submitForm(hand);
  else yield* pressSpot(only, () => null, hand);
  return true;
}

interface Placed {
  readonly ref: string | null;
  readonly value: string;
}

function assign(head: string, qualifiers: readonly Qualifier[], scene: Scene): Placed[] | null {
  const left = scene.spots.filter(
    ({ node }) => node.ref !== null && isTextField(node) && node.states.disabled !== true,
  );
  const placed: Placed[] = [];
  for (const { cue, value } of qualifiers) {
    const fitting = left.filter((spot) => isAbout(spot, cue, value, scene));
    const [field] = fitting;
    if (field === undefined || fitting.length > 1) return null;
    left.splice(left.indexOf(field), 1);
    placed.push({ ref: field.node.ref, value });
  }
  const [rest] = left;
  if (rest === undefined || left.length > 1) return null;
  return [...placed, { ref: rest.node.ref, value: head }];
}

/** "directed" and "Director" begin alike; a year belongs to whatever asks for a year or a date. */
function isAbout(spot: Spot, cue: string, value: string, scene: Scene): boolean {
  const words = labelsOf(spot, scene).flatMap(({ text, trust }) => (trust > 0.87 ? toWords(text) : []));
  const root = stem(cue).slice(0, Math.max(4, stem(cue).length - 1));
  if (words.some((word) => word.startsWith(root))) return true;
  return cue === "year" && /^\d{4}$/.test(value) && words.some((word) => /^(?:year|date|released?)$/.test(word));
}
