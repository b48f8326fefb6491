/**
 * Characters that nobody sees as text: zero-width spaces and joiners, soft hyphens, direction marks, variation selectors,
 * and the glyphs of icon fonts, which use the private-use areas.
 */
const UNSEEN = /(?:\p{Cf}|\p{Co}|\p{Variation_Selector}|[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0])+/gu;

/** Whether a text has any of them. */
export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) !== -1;
}

/** The text without invisible characters and icons. */
export function dropUnseen(text: string): string {
  return text.replace(UNSEEN, "");
}

/** For comparing two texts: compatibility forms are made plain, and case, spacing and what nobody sees do not matter. */
export function foldVisible(text: string): string {
  return dropUnseen(text.normalize("NFKC")).replace(/\s+/g, " ").trim().toLowerCase();
}
