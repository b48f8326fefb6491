import type { Fact } from "../../../grounding/claim.ts";
import type { Scene, Spot } from "../matching/scene.ts";
import { stem, toWords } from "../matching/words.ts";

const CODE_WORDS = "number|no\\.?|id|code|reference";
const ASKED = new RegExp(`^(?:the |my |your )?(.+?)\\s+(?:${CODE_WORDS})$`, "i");
const SAID = new RegExp(`\\b(?:${CODE_WORDS})\\b\\s*(?:is|was|:|#|=)?\\s*#?([\\p{L}\\p{N}][\\p{L}\\p{N}./-]*)`, "giu");
const MAX_SENTENCE = 300;

/**
 * "the order number" in a sentence: "We have your order. Its number is T-1042." Only a token with a digit counts, only in
 * a text that speaks of the thing, and only when the page names no other.
 */
export function findCode(field: string, scene: Scene): Fact | null {
  const noun = ASKED.exec(field)?.[1];
  if (noun === undefined) return null;
  const found = new Map<string, string>();
  for (const spot of scene.spots.filter((spot) => isSentence(spot, scene))) {
    const text = scene.textAt(spot);
    if (!mentions(text, noun)) continue;
    for (const [, code = ""] of text.matchAll(SAID)) {
      const plain = code.replace(/[./-]+$/, "");
      if (/\d/.test(plain) && !found.has(plain)) found.set(plain, text);
    }
  }
  const [only] = found;
  if (only === undefined || found.size > 1) return null;
  return { label: field, value: only[0], quote: only[1], url: scene.observation.url };
}

/** The smallest parts of the page that hold a whole sentence. */
function isSentence(spot: Spot, scene: Scene): boolean {
  return (
    /^(?:paragraph|heading|status|alert|listitem|generic|cell|term|definition)$/.test(spot.node.role) &&
    scene.textAt(spot).length <= MAX_SENTENCE
  );
}

function mentions(text: string, noun: string): boolean {
  const words = new Set(toWords(text).map(stem));
  return toWords(noun)
    .map(stem)
    .every((word) => words.has(word));
}
