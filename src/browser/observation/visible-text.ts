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

export function dropInvisible(text: string): string {
  return text.replace(INVISIBLE_CHARACTERS, "");
}

/** What can be read of a text, with single spaces. */
export function toVisibleText(text: string): string {
  return dropInvisible(text).replace(/\s+/g, " ").trim();
}
