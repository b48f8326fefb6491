import { parseAmount } from "../grounding/amounts.ts";
import { parseDate, parseMonth, toDay } from "../grounding/dates.ts";

/** Which records are meant. `about` is the column in the words of the task; null: the one that fits the kind. */
export type RowFilter =
  | { readonly kind: "all"; readonly filters: readonly RowFilter[] }
  | { readonly kind: "not"; readonly filter: RowFilter }
  /** Null: open on that side. */
  | {
      readonly kind: "amount";
      readonly about: string | null;
      readonly from: Bound | null;
      readonly to: Bound | null;
      readonly currency: string | null;
    }
  /** Days, inclusive, YYYY-MM-DD. */
  | { readonly kind: "date"; readonly about: string | null; readonly from: string | null; readonly to: string | null }
  | { readonly kind: "flag"; readonly about: string; readonly expected: boolean }
  | {
      readonly kind: "text";
      readonly about: string | null;
      readonly comparison: "contains" | "equals" | "starts" | "ends";
      readonly text: string;
    };

interface Bound {
  readonly value: number;
  readonly isInclusive: boolean;
}

const LEAD =
  /^(?:(?:and|but|only|those|the ones|ones|that|which|who)\s+)*(?:(?:is|are|was|were|have|has|had|do|does)\s+)?(?:only\s+)?/i;
const NEGATION =
  /^(?:not (?!more |less |higher |lower |greater |fewer )|aren't |isn't |don't |doesn't |never |except |excluding )/i;
/** "whose name does not contain", "whose status is not". */
const INNER_NEGATION =
  /^\S[^"“]{0,40}? (?<negation>(?:do(?:es)? |did )not |(?:does|do|did)n't |not (?!more |less |higher |lower |greater |fewer ))/i;
const SUBJECT =
  /^(?:(?:with|having|whose|where)\s+)?(?:an?\s+|the\s+|its\s+|their\s+)?(?<about>[\p{L}][\p{L} _-]{0,30}?)\s+/u;
/** Words between the subject and the comparison. */
const COPULA = "(?:(?:is|are|was|were|be|of|costs?|costing|priced|rated|that is|which is)\\s+)*";
const AMOUNT_FORMS: readonly [RegExp, (one: Bound, other: Bound | null) => Pick<Amounts, "from" | "to">][] = [
  [form("between (?<one>.+?) and (?<other>.+)"), (from, to) => ({ from, to })],
  [form("from (?<one>.+?) to (?<other>.+)"), (from, to) => ({ from, to })],
  [form("(?:no|not) (?:more|higher|greater) than (?<one>.+)"), (to) => ({ from: null, to })],
  [form("(?:no|not) (?:less|fewer|lower) than (?<one>.+)"), (from) => ({ from, to: null })],
  [
    form("(?:under|below|less than|fewer than|lower than|cheaper than|smaller than|<) (?<one>.+)"),
    (to) => ({ from: null, to: exclusive(to) }),
  ],
  [
    form(
      "(?:over|above|more than|higher than|greater than|dearer than|more expensive than|better than|larger than|exceeding|>) (?<one>.+)",
    ),
    (from) => ({ from: exclusive(from), to: null }),
  ],
  [form("(?:at most|up to|maximum(?: of)?|max|<=|≤) (?<one>.+)"), (to) => ({ from: null, to })],
  [form("(?:at least|minimum(?: of)?|min|>=|≥) (?<one>.+)"), (from) => ({ from, to: null })],
  [form("(?<one>.+?) or (?:more|higher|above|better|over|up)"), (from) => ({ from, to: null })],
  [form("(?<one>.+?) or (?:less|lower|below|under|cheaper|fewer)"), (to) => ({ from: null, to })],
  [form("(?:exactly|equal to|=) (?<one>.+)"), (value) => ({ from: value, to: value })],
];
const CHEAP = /\b(?:cheaper|dearer|more expensive|costs?|costing|priced)\b/i;
const STARS = /\bstars?\b|\brated\b/i;
const IN_STOCK = /^(?:(?:currently )?(?:in stock|available|on stock))$/i;
const OUT_OF_STOCK = /^(?:(?:currently )?(?:out of stock|sold out|unavailable|not in stock|not available))$/i;
/** One word for the state of a record: "delivered", "paid", "overdue". */
const STATE =
  /^(?:\p{L}{2,}(?:ed|en)|paid|unpaid|sent|unsent|lost|overdue|open|pending|active|inactive|late|unread|done|due|draft|live|archived)$/iu;
const TEXT_FORMS: readonly [RegExp, Texts["comparison"]][] = [
  [
    /^(?:with |whose |where |having )?(?:an? |the )?(?<about>[\p{L}][\p{L} _-]{0,30}?) (?:contains?|containing|includes?|including|has|mentions?) (?<text>.+)$/iu,
    "contains",
  ],
  [
    /^(?:with |whose |where |having )?(?:an? |the )?(?<about>[\p{L}][\p{L} _-]{0,30}?) (?:starts?|starting|begins?|beginning) with (?<text>.+)$/iu,
    "starts",
  ],
  [
    /^(?:with |whose |where |having )?(?:an? |the )?(?<about>[\p{L}][\p{L} _-]{0,30}?) (?:ends?|ending) (?:with|in) (?<text>.+)$/iu,
    "ends",
  ],
  [/^(?:whose|where) (?:the )?(?<about>[\p{L}][\p{L} _-]{0,30}?) (?:is|are|equals|=) (?<text>.+)$/iu, "equals"],
  [
    /^(?:(?:with|having|of) )?(?:an? |the )?(?<about>status|state|category|type|kind|colou?r|size|brand|author|name|title|role|priority|country|city) (?:of |= ?|: ?|is )?(?<text>.+)$/iu,
    "equals",
  ],
  [
    /^(?:containing|mentioning|including|that (?:contain|mention|include)s?|which (?:contain|mention|include)s?|contains?|mentions?) (?<text>.+)$/iu,
    "contains",
  ],
  [/^(?:called|named|titled|entitled) (?<text>.+)$/iu, "equals"],
  [/^(?:in|on|at|from) (?:the )?(?<about>\p{L}{2,20}) (?:number |no\.? ?)?(?<text>#?\d{1,6}\p{L}?)$/iu, "equals"],
];

type Amounts = RowFilter & { kind: "amount" };
type Texts = RowFilter & { kind: "text" };

/** Parses "under £20 and in stock". Null when any part is not understood: half a filter is another filter. */
export function parseRowFilter(text: string): RowFilter | null {
  const words = text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.?!]$/, "");
  if (words === "") return null;
  const whole = parsePart(words);
  const parts = splitParts(words);
  if (parts.length < 2) return whole;
  const filters = parts.map(parsePart);
  if (filters.every((filter) => filter !== null)) return { kind: "all", filters };
  return whole;
}

function form(pattern: string): RegExp {
  return new RegExp(`^${COPULA}${pattern}$`, "iu");
}

function exclusive(bound: Bound): Bound {
  return { ...bound, isInclusive: false };
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

function parsePart(part: string): RowFilter | null {
  const stripped = part.replace(LEAD, "");
  const negation = NEGATION.exec(stripped)?.[0] ?? INNER_NEGATION.exec(stripped)?.groups?.["negation"];
  if (negation === undefined) return parseSimple(stripped);
  const filter = parseSimple(stripped.replace(negation, ""));
  return filter === null ? null : { kind: "not", filter };
}

function parseSimple(part: string): RowFilter | null {
  if (IN_STOCK.test(part)) return { kind: "flag", about: "in stock", expected: true };
  if (OUT_OF_STOCK.test(part)) return { kind: "flag", about: "in stock", expected: false };
  return parseDates(part) ?? parseAmounts(part) ?? parseText(part);
}

function parseDates(part: string): RowFilter | null {
  const direct = parseDatePeriod(part);
  if (direct !== null) return { kind: "date", about: null, ...direct };
  const about = SUBJECT.exec(`${part} `)?.groups?.["about"];
  const rest = part.replace(SUBJECT, "").replace(/^(?:is|are|was|were)\s+/i, "");
  const period =
    about === undefined || /^(?:from|in|since|before|after|on|until|between)$/i.test(about)
      ? null
      : parseDatePeriod(rest);
  return period === null || about === undefined ? null : { kind: "date", about, ...period };
}

function parseAmounts(part: string): RowFilter | null {
  const own = parseComparison(part.replace(/^(?:with|having)\s+/i, ""));
  if (own !== null)
    return { ...own, about: own.about ?? (STARS.test(part) ? "rating" : CHEAP.test(part) ? "price" : null) };
  for (let end = part.indexOf(" "); end !== -1; end = part.indexOf(" ", end + 1)) {
    const about = SUBJECT.exec(part.slice(0, end + 1))?.groups?.["about"];
    const comparison = about === undefined ? null : parseComparison(part.slice(end + 1));
    if (comparison !== null && about !== undefined) return { ...comparison, about: aboutOf(about) };
  }
  return null;
}

function aboutOf(about: string): string {
  return STARS.test(about) ? "rating" : about;
}

function parseComparison(part: string): Amounts | null {
  for (const [pattern, toBounds] of AMOUNT_FORMS) {
    const { one, other } = pattern.exec(part)?.groups ?? {};
    const first = readAmount(one);
    const second = readAmount(other);
    if (first === null || (other !== undefined && second === null)) continue;
    const bounds = toBounds(first.bound, second?.bound ?? null);
    const unit = first.unit ?? second?.unit ?? null;
    return { kind: "amount", about: unit, ...bounds, currency: first.currency ?? second?.currency ?? null };
  }
  return null;
}

/** The text must be nothing but the amount, or the rest of it would be ignored. */
function readAmount(text: string | undefined): { bound: Bound; currency: string | null; unit: string | null } | null {
  const amount = text === undefined ? null : parseAmount(text);
  if (text === undefined || amount === null || text.replace(amount.quote, "").trim() !== "") return null;
  const unit = amount.unit === null ? null : aboutOf(amount.unit);
  return { bound: { value: amount.value, isInclusive: true }, currency: amount.currency, unit };
}

function parseText(part: string): RowFilter | null {
  if (STATE.test(part)) return { kind: "text", about: null, comparison: "equals", text: part };
  for (const [pattern, comparison] of TEXT_FORMS) {
    const { about, text } = pattern.exec(part)?.groups ?? {};
    if (text === undefined) continue;
    const wanted = text.replace(/^["“'](.*)["”']$/, "$1").trim();
    if (wanted !== "")
      return {
        kind: "text",
        about: about ?? (/^(?:called|named|titled)/i.test(part) ? "name" : null),
        comparison,
        text: wanted,
      };
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
