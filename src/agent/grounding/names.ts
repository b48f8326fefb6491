import { collapseWhitespace } from "../../browser/observation/visible-text.ts";

/** Without case, and without what forms put behind a label: "Title *", "Title:". */
export function fold(text: string): string {
  const folded = collapseWhitespace(text.normalize("NFKC").toLowerCase().replaceAll("’", "'"));
  let end = folded.length;
  while (end > 0 && " *:….".includes(folded[end - 1] ?? "")) end--;
  // "…" and "*" are names of buttons too.
  return end === 0 ? folded : folded.slice(0, end);
}

export function containsWords(text: string, words: string): boolean {
  const isLetter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = words === "" ? -1 : text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + words.length])) return true;
  }
  return false;
}

/** Lower case and singular: "Products" and "product" are the same. */
export function stemNoun(text: string): string {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => toSingular(word))
    .join(" ");
}

/** Only to be compared with another: "status" loses its end as "menus" does. */
export function toSingular(word: string): string {
  if (word.endsWith("ss") || word.length < 4) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:ss|x|tz|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.replace(/s$/, "");
}
