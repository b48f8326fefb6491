/**
 * Characters that nobody can read: zero-width characters, soft hyphens, direction marks, tags, and those for private use,
 * which icon fonts draw as pictures. Joiners stay where they shape what is seen: in emoji, and in Arabic and Indic words.
 * A regular expression as text, because it is sent to pages.
 */
export const INVISIBLE = [
  String.raw`[[\p{DI}\p{Co}]--[\ufe00-\ufe0f\u200c\u200d]]`,
  String.raw`(?<![\u0600-\u0dff\p{ExtPict}\p{EMod}\ufe0f])[\u200c\u200d]`,
  String.raw`[\u200c\u200d](?![\u0600-\u0dff\p{ExtPict}])`,
].join("|");

const INVISIBLE_CHARACTERS = new RegExp(INVISIBLE, "gv");

/** None of them is an ASCII character, and none depends on one beside it. So only the other parts are searched. */
const NOT_ASCII = /[^\0-\x7f]+/g;

export function dropInvisible(text: string): string {
  return text.replace(NOT_ASCII, (part) => part.replace(INVISIBLE_CHARACTERS, ""));
}

const UNTIDY = /[^\S ]| {2}|^ | $/;

/** Most texts of a page are tidy already, and looking takes much less than replacing. */
export function collapseWhitespace(text: string): string {
  return UNTIDY.test(text) ? text.replace(/\s+/g, " ").trim() : text;
}

/** What can be read of a text, with single spaces. */
export function toVisibleText(text: string): string {
  return collapseWhitespace(dropInvisible(text));
}

/** The same and more, for comparing texts: joiners and variation selectors too, which change only how a text looks. */
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
  return collapseWhitespace(dropUnseen(text.normalize("NFKC"))).toLowerCase();
}
