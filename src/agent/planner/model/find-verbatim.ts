/** What people and models write in place of the sign that stands on the page; each as long as what it replaces. */
const LIKE: ReadonlyMap<string, string> = new Map([
  ["’", "'"],
  ["‘", "'"],
  ["“", '"'],
  ["”", '"'],
  ["–", "-"],
  ["—", "-"],
  ["−", "-"],
]);

/**
 * The words as they stand in a text, or null. Case and the kind of quotation mark do not matter, ends of words and of
 * numbers do: "€1" does not stand in "€12.00", and "2" does not stand in "1.2". Whoever looks often folds the text once.
 */
export function findVerbatim(text: string, wanted: string, folded: string = foldText(text)): string | null {
  const [hay, needle] = [folded, foldText(wanted.replace(/\s+/g, " ").trim())];
  if (needle === "" || hay.length !== text.length) return null;
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    if (!isCut(hay, at) && !isCut(hay, end)) return text.slice(at, end);
  }
  return null;
}

/** The text as it is compared. */
export function foldText(text: string): string {
  return text
    .replace(/[’‘“”–—−]/g, (sign) => LIKE.get(sign) ?? sign)
    .replace(/[A-Z\u00c0-\u00de]/g, (sign) => sign.toLowerCase());
}

/** Whether a word or a number runs on across this place. */
function isCut(text: string, at: number): boolean {
  const [before = "", after = ""] = [text[at - 1], text[at]];
  if (/[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)) return true;
  const isBehindSeparator = /[.,]/.test(before) && /\d/.test(after) && /\d/.test(text[at - 2] ?? "");
  return isBehindSeparator || (/\d/.test(before) && /[.,]/.test(after) && /\d/.test(text[at + 1] ?? ""));
}
