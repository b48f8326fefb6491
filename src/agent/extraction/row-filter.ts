import { type Amount, parseAmount } from "../grounding/amounts.ts";
import { parseDate, parseMonth, toDay } from "../grounding/dates.ts";

/**
 * What the cells of a column must satisfy, such as `{ column: "price", at_most: "EUR 15" }`. Without a column, the one that
 * fits the value is meant. Days are YYYY-MM-DD, and `from` and `to` include them.
 */
export type RowComparison = { readonly column?: string } & Tests;

type TextTest = "is" | "is_not" | "contains" | "does_not_contain" | "starts_with" | "ends_with";
type Test = TextTest | "less_than" | "at_most" | "more_than" | "at_least" | "from" | "to";
type Tests = { readonly [T in Test]?: string | number | boolean };

const LEAD =
  /^(?:(?:and|but|only|those|the ones|ones|that|which|who)\s+)*(?:(?:is|are|was|were|have|has|had|do|does)\s+)?(?:only\s+)?/i;
const NEGATION =
  /^(?:not (?!more |less |higher |lower |greater |fewer )|aren't |isn't |don't |doesn't |never |except |excluding )/i;
/** "whose name does not contain", "whose status is not". */
const INNER_NEGATION =
  /^\S[^"“]{0,40}? (?<negation>(?:do(?:es)? |did )not |(?:does|do|did)n't |not (?!more |less |higher |lower |greater |fewer ))/i;
const SUBJECT =
  /^(?:(?:with|having|whose|where)\s+)?(?:an?\s+|the\s+|its\s+|their\s+)?(?<about>[\p{L}][\p{L} _/&().#-]{0,30}?)\s+/u;
/** Words between the subject and the comparison. */
const COPULA = "(?:(?:is|are|was|were|be|of|costs?|costing|priced|rated|that is|which is)\\s+)*";
const AMOUNT_FORMS = (
  [
    ["range", "between (?<one>.+?) and (?<other>.+)"],
    ["range", "from (?<one>.+?) to (?<other>.+)"],
    ["at_most", "(?:no|not) (?:more|higher|greater) than (?<one>.+)"],
    ["at_least", "(?:no|not) (?:less|fewer|lower) than (?<one>.+)"],
    ["less_than", "(?:under|below|(?:less|fewer|lower|cheaper|smaller) than|<) (?<one>.+)"],
    [
      "more_than",
      "(?:over|above|(?:more|higher|greater|dearer|more expensive|better|larger) than|exceeding|>) (?<one>.+)",
    ],
    ["at_most", "(?:at most|up to|maximum(?: of)?|max|<=|≤) (?<one>.+)"],
    ["at_least", "(?:at least|minimum(?: of)?|min|>=|≥) (?<one>.+)"],
    ["at_least", "(?<one>.+?) or (?:more|higher|above|better|over|up)"],
    ["at_most", "(?<one>.+?) or (?:less|lower|below|under|cheaper|fewer)"],
    ["is", "(?:exactly|equal to|=) (?<one>.+)"],
  ] as const
).map(([test, pattern]) => [test, new RegExp(`^${COPULA}${pattern}$`, "iu")] as const);
const CHEAP = /\b(?:cheaper|dearer|more expensive|costs?|costing|priced)\b/i;
const STARS = /\bstars?\b|\brated\b/i;
const IN_STOCK = /^(?:(?:currently )?(?:in stock|available|on stock))$/i;
const OUT_OF_STOCK = /^(?:(?:currently )?(?:out of stock|sold out|unavailable|not in stock|not available))$/i;
/** One word for the state of a record: "delivered", "paid", "overdue". */
const STATE =
  /^(?:\p{L}{2,}(?:ed|en)|paid|unpaid|sent|unsent|lost|overdue|open|pending|active|inactive|late|unread|done|due|draft|live|archived)$/iu;
const ABOUT = "(?<about>[\\p{L}][\\p{L} _/&().#-]{0,30}?)";
const COLUMN = `(?:with |whose |where |having )?(?:an? |the )?${ABOUT}`;
const TEXT_FORMS = (
  [
    ["contains", `${COLUMN} (?:contains?|containing|includes?|including|has|mentions?) (?<text>.+)`],
    ["starts_with", `${COLUMN} (?:starts?|starting|begins?|beginning) with (?<text>.+)`],
    ["ends_with", `${COLUMN} (?:ends?|ending) (?:with|in) (?<text>.+)`],
    ["is", `(?:whose|where) (?:the )?${ABOUT} (?:is|are|equals|=) (?<text>.+)`],
    [
      "is",
      "(?:(?:with|having|of) )?(?:an? |the )?(?<about>status|state|category|type|kind|colou?r|size|brand|author|name|title|role|priority|country|city) (?:of |= ?|: ?|is )?(?<text>.+)",
    ],
    [
      "contains",
      "(?:containing|mentioning|including|(?:that|which) (?:contain|mention|include)s?|contains?|mentions?) (?<text>.+)",
    ],
    ["is", "(?:called|named|titled|entitled) (?<text>.+)"],
    ["is", "(?:in|on|at|from) (?:the )?(?<about>\\p{L}{2,20}) (?:number |no\\.? ?)?(?<text>#?\\d{1,6}\\p{L}?)"],
  ] as const
).map(([test, pattern]) => [test, new RegExp(`^${pattern}$`, "iu")] as const);

/** Parses "under £20 and in stock". Null when any part is not understood: half a filter is another filter. */
export function parseRowFilter(text: string): RowComparison[] | null {
  const words = text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.?!]$/, "");
  if (words === "") return null;
  const comparisons = splitParts(words).map(parsePart);
  if (comparisons.length > 1 && comparisons.every((comparison) => comparison !== null)) return comparisons;
  const whole = parsePart(words);
  return whole === null ? null : [whole];
}

/** Splits at "and", "but" and commas, but not at the "and" of "between … and …" and not inside quotation marks. */
function splitParts(words: string): string[] {
  const masked = words
    .replace(/["“][^"”]*["”]/g, (quoted) => "_".repeat(quoted.length))
    .replace(/\bbetween\s+\S+(?:\s\S+)?\s+and\b/gi, (range) => range.replace(/and$/i, "___"));
  const parts: string[] = [];
  let start = 0;
  for (const match of masked.matchAll(/\s*,\s*(?:and |but )?|\s+(?:and|but)\s+/gi)) {
    if (/\d,\d/.test(words.slice(match.index - 1, match.index + 2))) continue;
    parts.push(words.slice(start, match.index));
    start = match.index + match[0].length;
  }
  return [...parts, words.slice(start)].map((part) => part.trim()).filter(Boolean);
}

function parsePart(part: string): RowComparison | null {
  const stripped = part.replace(LEAD, "");
  const negation = NEGATION.exec(stripped)?.[0] ?? INNER_NEGATION.exec(stripped)?.groups?.["negation"];
  if (negation === undefined) return parseSimple(stripped);
  const comparison = parseSimple(stripped.replace(negation, ""));
  return comparison === null ? null : negate(comparison);
}

const OPPOSITES: Readonly<Record<string, Test>> = {
  is: "is_not",
  contains: "does_not_contain",
  at_least: "less_than",
  less_than: "at_least",
  more_than: "at_most",
  at_most: "more_than",
};

/** Only one test can be turned round: "not between" cannot be said with one. */
function negate({ column, ...tests }: RowComparison): RowComparison | null {
  const [[test = "", value] = [], ...others] = Object.entries(tests);
  const opposite = OPPOSITES[test];
  if (opposite === undefined || others.length > 0) return null;
  return withColumn(column, typeof value === "boolean" ? { is: !value } : { [opposite]: value });
}

function withColumn(column: string | null | undefined, tests: Tests): RowComparison {
  return column == null ? tests : { column, ...tests };
}

function parseSimple(part: string): RowComparison | null {
  if (IN_STOCK.test(part)) return { column: "in stock", is: true };
  if (OUT_OF_STOCK.test(part)) return { column: "in stock", is: false };
  return parseDates(part) ?? parseAmounts(part) ?? parseText(part);
}

const DATE_WORDS = /^(?:from|in|since|before|after|on|until|between)$/i;

function parseDates(part: string): RowComparison | null {
  const direct = parseDatePeriod(part);
  if (direct !== null) return toDates(null, direct);
  const column = SUBJECT.exec(`${part} `)?.groups?.["about"];
  const rest = part.replace(SUBJECT, "").replace(/^(?:is|are|was|were)\s+/i, "");
  // "with Since before 2019" names a column; "since 2019" does not.
  const isColumn = /^(?:with|having|whose|where)\s/i.test(part) || !DATE_WORDS.test(column ?? "");
  const period = column === undefined || !isColumn ? null : parseDatePeriod(rest);
  return period === null ? null : toDates(column, period);
}

function toDates(column: string | null | undefined, { from, to }: Period): RowComparison {
  return withColumn(column, { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) });
}

function parseAmounts(part: string): RowComparison | null {
  const own = parseComparison(part.replace(/^(?:with|having)\s+/i, ""));
  if (own !== null) return withColumn(STARS.test(part) ? "rating" : CHEAP.test(part) ? "price" : null, own);
  for (let end = part.indexOf(" "); end !== -1; end = part.indexOf(" ", end + 1)) {
    const about = SUBJECT.exec(part.slice(0, end + 1))?.groups?.["about"];
    const comparison = about === undefined ? null : parseComparison(part.slice(end + 1));
    if (comparison !== null && about !== undefined) return { ...comparison, column: columnOf(about) };
  }
  return null;
}

function columnOf(about: string): string {
  return STARS.test(about) ? "rating" : about;
}

/** The unit of an amount is its column: "500 g". */
function parseComparison(part: string): RowComparison | null {
  for (const [test, pattern] of AMOUNT_FORMS) {
    const { one, other } = pattern.exec(part)?.groups ?? {};
    const first = readAmount(one);
    const second = other === undefined ? first : readAmount(other);
    if (first === null || second === null) continue;
    const currency = first.currency ?? second.currency;
    const write = ({ value }: Amount) => (currency === null ? value : `${currency} ${value}`);
    const unit = first.unit ?? second.unit;
    const tests = test === "range" ? { at_least: write(first), at_most: write(second) } : { [test]: write(first) };
    return withColumn(unit === null ? null : columnOf(unit), tests);
  }
  return null;
}

/** The text must be nothing but the amount, or the rest of it would be ignored. */
function readAmount(text: string | undefined): Amount | null {
  const amount = text === undefined ? null : parseAmount(text);
  return amount === null || text?.replace(amount.quote, "").trim() !== "" ? null : amount;
}

function parseText(part: string): RowComparison | null {
  if (STATE.test(part)) return { is: part };
  for (const [test, pattern] of TEXT_FORMS) {
    const { about, text } = pattern.exec(part)?.groups ?? {};
    const wanted = text?.replace(/^["“'](.*)["”']$/, "$1").trim() ?? "";
    const column = about ?? (/^(?:called|named|titled)/i.test(part) ? "name" : null);
    if (wanted !== "") return withColumn(column, { [test]: wanted });
  }
  return null;
}

interface Period {
  /** YYYY-MM-DD, inclusive; null: open. */
  readonly from: string | null;
  readonly to: string | null;
}

const FORMS: readonly [RegExp, (one: Period, other: Period | null) => Period][] = [
  [
    /^(?:between|from) (?<one>.+?) (?:and|to|until) (?<other>.+)$/i,
    (one, other) => ({ from: one.from, to: other?.to ?? null }),
  ],
  [/^(?:before|earlier than|prior to) (?<one>.+)$/i, ({ from }) => ({ from: null, to: shift(from, -1) })],
  [/^(?:after|later than) (?<one>.+)$/i, ({ to }) => ({ from: shift(to, 1), to: null })],
  [/^(?:since|starting) (?<one>.+)$/i, ({ from }) => ({ from, to: null })],
  [/^(?:until|up to|by) (?<one>.+)$/i, ({ to }) => ({ from: null, to })],
  [/^(?:from|in|on|of|during|dated|within) (?:the year )?(?<one>.+)$/i, (one) => one],
];

/** "from 2026", "in March 2026", "before 12 March 2026", "between … and …". "from 10" is not a period. */
function parseDatePeriod(text: string): Period | null {
  for (const [form, toPeriod] of FORMS) {
    const { one, other } = form.exec(text)?.groups ?? {};
    const first = one === undefined ? null : readSpan(one);
    const second = other === undefined ? null : readSpan(other);
    if (first !== null && (other === undefined || second !== null)) return toPeriod(first, second);
  }
  return null;
}

/** A year, a month of a year or a day, from its first day to its last. */
function readSpan(text: string): Period | null {
  const words = text.trim();
  if (/^(?:19|20)\d{2}$/.test(words)) return { from: `${words}-01-01`, to: `${words}-12-31` };
  const [, month = "", year = ""] = /^(\p{L}+)\.?,? ((?:19|20)\d{2})$/u.exec(words) ?? [];
  const number = parseMonth(month);
  if (number !== null) {
    const from = toDay(Number(year), number, 1);
    const next = number === 12 ? toDay(Number(year) + 1, 1, 1) : toDay(Number(year), number + 1, 1);
    return { from, to: shift(next, -1) };
  }
  const date = parseDate(words);
  return date !== null && date.quote === words ? { from: date.day, to: date.day } : null;
}

function shift(day: string | null, days: number): string | null {
  if (day === null) return null;
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
