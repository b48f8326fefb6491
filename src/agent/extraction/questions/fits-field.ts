import { kindOfText, type TextKind } from "../../grounding/short-texts.ts";
import { toStem } from "../../grounding/similarity.ts";

const FORMS = new Map<string, TextKind>(
  (
    [
      ["price", "price cost total sum amount fee charge"],
      ["date", "date day"],
      ["rating", "rating score stars"],
      ["availability", "availability stock"],
    ] as const
  ).flatMap(([form, words]) => words.split(" ").map((word) => [toStem(word), form] as const)),
);
/** What may be asked of any label: its text is the answer. */
const ANYTHING = new Set("name title value status state code text content".split(" ").map(toStem));

/** Whether a text can be what was asked for: a total is no date, and the height of something is not its material. */
export function fitsField(text: string, field: string): boolean {
  const word = toStem(field.trim().toLowerCase());
  const form = FORMS.get(word);
  if (form === undefined) return ANYTHING.has(word);
  const kind = kindOfText(text);
  if (kind !== "text") return kind === form;
  // "free" and "on request" are prices as well, and so is a number without its currency.
  return !/\d/.test(text) || (form === "price" && /^[\d\s.,'+−-]+$/.test(text));
}
