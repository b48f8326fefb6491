import { stemNoun, toSingular } from "../grounding/names.ts";

/** What makes a label another value than the one that the rest of it names: "Old price", "Shipping weight", "Email address". */
const OTHERS = new Set(
  "old previous former original list rrp regular shipping delivery package minimum maximum min max average estimated expected due tax discount email ip another other no not about approximately around nearly almost"
    .split(" ")
    .map(toSingular),
);

/** Whether a label has such a word that was not asked for. `stem`: what was asked for, as `stemNoun` gives it. */
export function isOfAnother(label: string, stem: string): boolean {
  const asked = new Set(stem.split(" "));
  return stemNoun(label)
    .split(" ")
    .some((word) => OTHERS.has(word) && !asked.has(word));
}

/** Money that is not what something costs, and days on which it was not made, placed or posted. */
const OTHER_AMOUNTS = /\b(?:fees?|sav(?:ed?|ings?)|deposit|vat|balance|salary|revenue|budget|refund)\b/i;
const OTHER_DAYS =
  /\b(?:last|next|deadline|arriv\w+|birth\w*|born|expir\w+|ends?|end|renew\w*|updated|modified|changed|paid|closed|resolved|until)\b/i;

/** Whether the only column with money, or with dates, is about something else: "Shipping", "Last login". */
export function isOtherAmount(column: string): boolean {
  return isOfAnother(column, "") || OTHER_AMOUNTS.test(column);
}

export function isOtherDay(column: string): boolean {
  return isOfAnother(column, "") || OTHER_DAYS.test(column);
}
