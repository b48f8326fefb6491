import { readRecordSets } from "../extraction/read-record-sets.ts";
import { parseRowFilter, type RowComparison } from "../extraction/row-filter.ts";
import { pointTo } from "../extraction/schema-shape.ts";
import { type Amount, isSameCurrency, parseAmount, parseAmounts } from "../grounding/amounts.ts";
import { type CapturedPage, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim } from "../grounding/claim.ts";
import { parseDate } from "../grounding/dates.ts";
import { withoutQuotedText } from "../grounding/english-words.ts";
import { redactUrl } from "../safe-text.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { asksForCount, asksForPart, asksForWhole, findTotal, findUnread, readLists } from "./whole-lists.ts";

type Key = (item: Item) => number | string;

interface RequestedOrder {
  readonly said: string;
  readonly property: string;
  readonly key: Key;
  readonly isRising: boolean;
}

const LOW =
  /\b(?:cheapest|lowest|smallest|least expensive)(?: [a-z]+)? first\b|\b(?:from )?(?:cheapest|lowest|low) to (?:most expensive|highest|high|dearest)\b|\bascending\b/i;
const HIGH =
  /\b(?:most expensive|highest|largest|dearest|biggest)(?: [a-z]+)? first\b|\b(?:from )?(?:highest|high|most expensive) to (?:lowest|low|cheapest)\b|\bdescending\b/i;
const NEW = /\b(?:newest|latest|most recent)(?: [a-z]+)? first\b/i;
const OLD = /\b(?:oldest|earliest)(?: [a-z]+)? first\b|\bchronological/i;
const ALPHABET = /\balphabetical(?:ly)?\b/i;

/** A list that the task asks for in an order is in that order, where it is clear which property is meant. */
export function checkOrder({ claim, task }: Case): Check[] {
  const items = findListItems(claim);
  const requested = items.length < 2 ? null : findRequestedOrder(task.prompt, items);
  if (requested === null) return [];
  const { said, property, key, isRising } = requested;
  const keys = items.map(key);
  const at = keys.findIndex((each, index) => {
    const before = keys[index - 1];
    return before !== undefined && (isRising ? each < before : each > before);
  });
  if (at === -1) return [];
  const evidence = `By ${property || "value"}, ${JSON.stringify(keys[at])} comes after ${JSON.stringify(keys[at - 1])}.`;
  return [{ about: `The list is in the requested order: ${said}`, verdict: "contradicted", evidence }];
}

function findRequestedOrder(prompt: string, items: readonly Item[]): RequestedOrder | null {
  const found = [LOW, HIGH, NEW, OLD, ALPHABET].map((form) => form.exec(prompt));
  const [one, ...more] = found.filter((match) => match !== null);
  // "Sort by price and open the first": the sorted list is not the one in the data.
  const isOnTheWay = one !== undefined && /\b(?:open|click|choose|pick|select|add)\b/i.test(prompt.slice(one.index));
  if (more.length > 0 || isOnTheWay) return null;
  const [low, high, recent, old, alphabet] = found.map((match) => match?.[0]);
  const number = low ?? high;
  if (number !== undefined) {
    const named = findNamed(prompt, items);
    const property =
      named ??
      findProperty(items, ({ amount }) => amount !== null && amount.currency !== null) ??
      findProperty(items, ({ value }) => typeof value === "number");
    if (property === null || items.some((item) => typeof item.get(property)?.value !== "number")) return null;
    return { said: number, property, key: (item) => Number(item.get(property)?.value), isRising: low !== undefined };
  }
  const time = recent ?? old;
  if (time !== undefined) {
    const property = findProperty(items, ({ day }) => day !== null);
    return property === null
      ? null
      : { said: time, property, key: (item) => item.get(property)?.day ?? "", isRising: recent === undefined };
  }
  if (alphabet === undefined) return null;
  const property = findProperty(items, ({ value, day }) => typeof value === "string" && day === null);
  const key: Key = (item) => String(item.get(property ?? "")?.value).toLowerCase();
  return property === null ? null : { said: alphabet, property, key, isRising: true };
}

/** "sorted by price" */
function findNamed(prompt: string, items: readonly Item[]): string | null {
  const by = /\b(?:sorted|ordered|sort|order) (?:them )?by (?:the )?(\w+)/i.exec(prompt)?.[1]?.toLowerCase();
  return by === undefined ? null : findProperty(items, (_, name) => name.toLowerCase() === by);
}

const UNIT = "(?:[€£$%]|(?!(?:and|or|in|on|from|with|that|which|by)\\b)[A-Za-z]{1,8}\\b)";
const AMOUNT = `(?:[€£$]\\s?\\d[\\d.,]*|\\d[\\d.,]*(?:\\s?${UNIT})?)`;
const BOUND = new RegExp(
  `\\b(?:under|below|less than|cheaper than|at most|up to|over|above|more than|at least|between ${AMOUNT} and) ${AMOUNT}`,
  "gi",
);
const NEGATED = /\b(?:not|except|excluding|ignore|without|skip|no)\b[^.]{0,40}$/i;

const BOUNDS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  less_than: (value, bound) => value < bound,
  at_most: (value, bound) => value <= bound,
  more_than: (value, bound) => value > bound,
  at_least: (value, bound) => value >= bound,
};

/** A list that the task asks for within bounds has nothing outside of them, where it is clear which property is meant. */
export function checkBounds({ claim, task }: Case): Check[] {
  const matches = [...task.prompt.matchAll(BOUND)];
  const [only] = matches;
  const items = findListItems(claim);
  if (only === undefined || matches.length > 1 || items.length === 0) return [];
  const said = only[0].replace(/[.,]$/, "");
  const filter = toAmounts(parseRowFilter(said));
  const [before, after] = [task.prompt.slice(0, only.index), task.prompt.slice(only.index + only[0].length)];
  if (filter === null || NEGATED.test(before) || isOfSomethingElse(after)) return [];
  const property =
    findProperty(items, (value) => isComparable(value, filter)) ??
    (filter.currency === null && filter.unit === null
      ? findProperty(items, ({ value }) => typeof value === "number")
      : null);
  const outside =
    property === null ? undefined : items.find((item) => !isWithin(Number(item.get(property)?.value), filter));
  if (property === null || outside === undefined) return [];
  const evidence = `One item has ${property || "the value"} ${String(outside.get(property)?.value)}.`;
  return [{ about: `Everything in the list is ${said}`, verdict: "contradicted", evidence }];
}

/** "Find a hotel under €100 and list its rooms": the bound is not about the listed items. */
function isOfSomethingElse(after: string): boolean {
  const asks = /\b(?:list|give|tell|show|extract|return|get|report|open|click)\b/i.test(after);
  return asks && !/\b(?:them|their|those|these|they)\b/i.test(after);
}

interface AmountBounds {
  readonly bounds: readonly (readonly [(value: number, bound: number) => boolean, number])[];
  readonly currency: string | null;
  readonly unit: string | null;
}

/** Null when it is about anything but one amount. */
function toAmounts(filter: readonly RowComparison[] | null): AmountBounds | null {
  const [{ column: unit = null, ...tests } = {}, ...others] = filter ?? [];
  const bounds = Object.entries(tests).flatMap(([test, value]) => {
    const [holds, amount] = [BOUNDS[test], parseAmount(String(value))];
    return holds === undefined || amount === null ? [] : [{ holds, amount }];
  });
  const [first] = bounds;
  if (first === undefined || others.length > 0 || bounds.length < Object.keys(tests).length) return null;
  const { currency } = first.amount;
  return { bounds: bounds.map(({ holds, amount }) => [holds, amount.value]), currency, unit };
}

function isComparable({ amount }: ItemValue, { currency, unit }: AmountBounds): boolean {
  if (amount === null) return false;
  if (currency !== null) return amount.currency !== null && isSameCurrency(currency, amount.currency);
  return unit !== null && amount.unit === unit;
}

function isWithin(value: number, { bounds }: AmountBounds): boolean {
  return bounds.every(([holds, bound]) => holds(value, bound));
}

/**
 * If the task asks for a whole list, no page that was read leads on to one that was not, and as many rows were read as the
 * pages say there are.
 */
export function checkWholeList(context: Case): Check[] {
  const { claim, task, captured } = context;
  const words = withoutQuotedText(task.prompt);
  const isCount = asksForCount(words);
  if (!(isCount || asksForWhole(words)) || asksForPart(words)) return [];
  const hasList = claim.facts.length > 1 || Array.isArray(claim.extraction?.data) || holdsList(claim.extraction?.data);
  if (!hasList && !isCount) return [];
  const cited = new Set([...claim.facts, ...(claim.extraction?.leaves ?? [])].map(({ url }) => url));
  const pages = captured.list();
  // A list that grows in place is complete in its last state.
  const last = [...cited].flatMap((url) => pages.findLast((page) => isSamePage(page.url, url)) ?? []);
  const open = findUnread(last, pages);
  if (open !== undefined && !(isCount && statesCount(claim, open))) {
    const evidence = `The list at ${redactUrl(open.url)} continues on a page that was not read.`;
    return [{ about: "The whole list was read", verdict: "unknown", evidence }];
  }
  const hidden = findUnseenRows(last, pages);
  if (hidden !== null && !(isCount && statesTotal(claim, hidden.total))) {
    return [{ about: "The whole list was read", verdict: "unknown", evidence: hidden.unseen }];
  }
  const shortfall = isCount ? null : findShortfall(context, last);
  return shortfall === null ? [] : [{ about: "The whole list was read", verdict: "unknown", evidence: shortfall }];
}

/** A list of the cited pages that holds only some of its rows at a time, and that was not seen as a whole. */
function findUnseenRows(cited: readonly CapturedPage[], pages: readonly CapturedPage[]) {
  for (const page of cited) {
    const states = pages.filter(({ url }) => isSamePage(url, page.url));
    for (const { set, unseen } of readLists(states)) {
      if (unseen !== null && set.region === "main") return { unseen, total: set.window?.total ?? null };
    }
  }
  return null;
}

/** A list may say how many rows it has without showing them. */
function statesTotal({ answer }: Claim, total: number | null): boolean {
  return total !== null && parseAmounts(answer).some(({ value }) => value === total);
}

/**
 * The pages state a total, every row of the pages that the data cites was taken, and still there are fewer. Where only some
 * of the rows were taken, the task asks for those.
 */
function findShortfall({ claim, captured }: Case, last: readonly CapturedPage[]): string | null {
  const items = findListItems(claim);
  const total = findTotal(last);
  if (items.length === 0 || total === null || total <= items.length) return null;
  const located = new Set((claim.extraction?.leaves ?? []).map(({ location }) => location?.observationNumber ?? null));
  const shown = [...located].flatMap((number) => (number === null ? [] : (captured.find(number) ?? [])));
  const rows = Math.max(0, ...readLists(shown.length > 0 ? shown : last).map(({ set }) => set.rows.length));
  return items.length >= rows ? `The pages say that there are ${total}; the data has ${items.length}.` : null;
}

/** The page itself states a total that is higher than the number of rows it shows. */
function statesCount({ answer, facts, extraction }: Claim, { root, url }: CapturedPage): boolean {
  const shown = Math.max(0, ...readRecordSets(root, url).map(({ rows }) => rows.length));
  const said = new Set(parseAmounts(answer).map(({ value }) => value));
  const cited = [...facts, ...(extraction?.leaves ?? [])].filter((each) => isSamePage(each.url, url));
  return cited
    .flatMap(({ quote, value }) => parseAmounts(quote ?? "").map((amount) => ({ ...amount, given: value })))
    .some(({ value, given, currency }) => currency === null && value > shown && (said.has(value) || given === value));
}

function holdsList(data: unknown): boolean {
  return typeof data === "object" && data !== null && Object.values(data).some(Array.isArray);
}

/** One property of a list item, with what the page says for it. */
interface ItemValue {
  readonly value: unknown;
  readonly amount: Amount | null;
  readonly day: string | null;
}

/** A list item, by property. */
type Item = ReadonlyMap<string, ItemValue>;

/** The only list in the data, in its order; empty when there is none or several. */
function findListItems({ extraction }: Claim): Item[] {
  if (extraction === null) return [];
  const lists = findLists(extraction.data, "");
  const [list] = lists;
  if (list === undefined || lists.length > 1) return [];
  const quotes = new Map(extraction.leaves.map(({ pointer, quote }) => [pointer, quote ?? ""]));
  return list.items.map((item, index) => {
    const properties = typeof item === "object" && item !== null ? Object.entries(item) : [["", item] as const];
    return new Map(
      properties.map(([name, value]) => {
        const item = pointTo(list.pointer, index);
        return [name, toItemValue(value, quotes.get(name === "" ? item : pointTo(item, name)) ?? "")];
      }),
    );
  });
}

/** The only property that matches for every item. */
function findProperty(items: readonly Item[], matches: (value: ItemValue, name: string) => boolean): string | null {
  const [first] = items;
  const fitting = [...(first?.keys() ?? [])].filter((name) =>
    items.every((item) => {
      const value = item.get(name);
      return value !== undefined && matches(value, name);
    }),
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

function findLists(data: unknown, pointer: string): { pointer: string; items: readonly unknown[] }[] {
  if (typeof data !== "object" || data === null) return [];
  if (Array.isArray(data)) return [{ pointer, items: data }];
  return Object.entries(data).flatMap(([key, value]) => findLists(value, pointTo(pointer, key)));
}

function toItemValue(value: unknown, quote: string): ItemValue {
  const written = parseAmount(quote);
  const isSame = written !== null && (written.value === value || written.otherValue === value);
  return {
    value,
    amount: isSame ? written : null,
    day: typeof value === "string" ? (parseDate(value)?.day ?? null) : null,
  };
}
