import { parseAmounts } from "../grounding/amounts.ts";
import { findDates } from "../grounding/dates.ts";
import { splitLabel } from "../grounding/short-texts.ts";

export interface LabelledText {
  readonly label: string;
  readonly value: string;
}

const MARKS = /\s+[·•|]\s+/;
/** Before "Fax: " in "Phone: 030 555 0142 Fax: 030 555 0143". A label of several words cannot be told from the value before it. */
const NEXT_LABEL = /\s(?=\p{L}[\p{L}\d]*:(?:\s|$))/u;
/** The label of what follows in an element of its own, such as a link. */
const OPEN_LABEL = /^\p{L}[\p{L}\d]*:$/u;
const DIGITS = /^\+?[\d\s()/.-]*\d$/;

/**
 * Labels and values of one line, divided by marks, "Placed: 2 May · Total: €32", or run together from several lines. None where a part
 * has no label, or it is not certain where a value ends.
 */
export function splitLabels(text: string): LabelledText[] {
  const marked = text.split(MARKS);
  const parts = marked.length > 1 ? marked : text.split(NEXT_LABEL).filter((part) => !OPEN_LABEL.test(part));
  const found = parts.map((part) => splitLabel(part)).filter((each) => each !== null);
  if (found.length < parts.length || text.split(NEXT_LABEL).length < 2) return [];
  const isCertain = marked.length > 1 || found.slice(0, -1).every(({ value }) => isClosed(value));
  return isCertain ? found : [];
}

/** A number, a date or an amount ends where a word begins. */
function isClosed(value: string): boolean {
  return DIGITS.test(value) || [...findDates(value), ...parseAmounts(value)].some(({ quote }) => quote === value);
}

/** What a line of several labels says for one of them, as far as that can be told; for lines that cannot be split. */
export function findUnsplit(text: string, label: string): string[] {
  if (text.split(NEXT_LABEL).length < 2 || splitLabel(text) !== null || splitLabels(text).length > 0) return [];
  const [, ...rest] = ` ${text}`.toLowerCase().split(` ${label.toLowerCase()}: `);
  return rest.map((each) => text.slice(text.toLowerCase().indexOf(each)).split(NEXT_LABEL)[0]?.trim() ?? "");
}
