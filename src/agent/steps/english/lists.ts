import { parseRowFilter, type RowFilter } from "../../extraction/row-filter.ts";
import type { CollectStep, Comparison } from "../step.ts";
import { type Token, textOf } from "./clauses.ts";
import { matchPattern, parsePattern } from "./pattern.ts";
import { nameOf, stripArticles } from "./targets.ts";

const QUANTIFIERS = new Set(["all", "every", "each", "any", "both"]);
/** Adjectives that order a list, the column they order by and the direction. */
const SUPERLATIVES = new Map<string, NonNullable<CollectStep["order"]>>([
  ["cheapest", { by: "price", direction: "ascending" }],
  ["priciest", { by: "price", direction: "descending" }],
  ["most expensive", { by: "price", direction: "descending" }],
  ["least expensive", { by: "price", direction: "ascending" }],
  ["newest", { by: "date", direction: "descending" }],
  ["latest", { by: "date", direction: "descending" }],
  ["most recent", { by: "date", direction: "descending" }],
  ["oldest", { by: "date", direction: "ascending" }],
  ["earliest", { by: "date", direction: "ascending" }],
  ["best rated", { by: "rating", direction: "descending" }],
  ["highest rated", { by: "rating", direction: "descending" }],
  ["lowest rated", { by: "rating", direction: "ascending" }],
]);
const MOST = new Set(["most", "highest", "largest", "biggest", "greatest", "longest", "maximum", "best", "top"]);
const LEAST = new Set(["least", "lowest", "smallest", "fewest", "shortest", "minimum"]);
/** Words that begin what narrows a list down. */
const FILTER_WORDS = new Set(
  "where whose with without having that which who under over below above before after since until between from in on at by costing priced containing mentioning including named called titled more less at up cheaper dated not except".split(
    " ",
  ),
);
const ALL_PAGES = parsePattern("{list} (on|from|across|over) (all|every|each) [the] (page|pages)");
const ALL_PAGES_INSIDE = parsePattern("{list} (on|from|across|over) (all|every|each) [the] (page|pages) {filter}");
const PAGE_BY_PAGE = parsePattern("{list} [,] page by page");
const SORTED_BY = parsePattern("{list} [,] (sorted|ordered) by [the|its|their] {column}");
const THIS_PAGE = parsePattern("{list} on (this|the) page");
const COLUMNS_OF = parsePattern("{columns} (of|for) {list}");
const TABLE = parsePattern("(table|list) [called|named] {list}");
const MAX_FILTER = 400;

/**
 * "the names and prices of all products under €15 on all pages", "the 3 cheapest products". Null when a word of it is not
 * understood: half a filter is another filter.
 */
export function readList(all: readonly Token[], prompt: string): CollectStep | null {
  // "all products under €15, on all pages"
  const tokens = all.at(-1)?.word === "," ? all.slice(0, -1) : all;
  const onAll = matchPattern(ALL_PAGES, tokens)?.["list"];
  if (onAll !== undefined) return withPages(readList(onAll, prompt), "all");
  const inside = matchPattern(ALL_PAGES_INSIDE, tokens);
  if (inside !== null) {
    return withPages(readList([...(inside["list"] ?? []), ...(inside["filter"] ?? [])], prompt), "all");
  }
  const byPage = matchPattern(PAGE_BY_PAGE, tokens)?.["list"];
  if (byPage !== undefined) return withPages(readList(byPage, prompt), "all");
  const sorted = readSorted(tokens, prompt);
  if (sorted !== null) return sorted;
  const onThis = matchPattern(THIS_PAGE, tokens)?.["list"];
  if (onThis !== undefined) return withPages(readList(onThis, prompt), "this");
  const { columns, list } = matchPattern(COLUMNS_OF, tokens) ?? {};
  // "all products with a price of at least 5": this "of" belongs to the filter.
  const isInFilter = columns?.some(({ word }) => word === "with" || word === "having" || word === "whose") === true;
  if (columns === undefined || list === undefined || isInFilter) return readEntries(tokens, prompt);
  const inner = readEntries(list, prompt);
  if (inner === null || isQuantified(columns)) return inner;
  const names = readColumns(columns, prompt);
  return names.length === 0 ? null : { ...inner, columns: names };
}

/** "all products, cheapest first", "all products sorted by price". */
function readSorted(tokens: readonly Token[], prompt: string): CollectStep | null {
  const { list, column } = matchPattern(SORTED_BY, tokens) ?? {};
  if (list !== undefined && column !== undefined)
    return withOrder(list, { by: nameOf(column, prompt), direction: "ascending" }, prompt);
  if (tokens.at(-1)?.word !== "first") return null;
  for (const length of [2, 1]) {
    const ordered = readSuperlative(tokens.slice(-1 - length, -1));
    if (ordered?.rest.length === 0) return withOrder(tokens.slice(0, -1 - length), ordered.order, prompt);
  }
  return null;
}

function withOrder(
  tokens: readonly Token[],
  order: NonNullable<CollectStep["order"]>,
  prompt: string,
): CollectStep | null {
  const list = readList(tokens, prompt);
  return list === null ? null : { ...list, order };
}

function isQuantified(tokens: readonly Token[]): boolean {
  return QUANTIFIERS.has(stripArticles(tokens)[0]?.word ?? "");
}

function withPages(list: CollectStep | null, pages: "all" | "this"): CollectStep | null {
  return list === null ? null : { ...list, pages };
}

/** "names and prices", "the name, the price and the rating". */
export function readColumns(tokens: readonly Token[], prompt: string): string[] {
  const columns: Token[][] = [[]];
  for (const token of tokens) {
    if (token.word === "," || token.word === "and" || token.word === "plus") columns.push([]);
    else columns.at(-1)?.push(token);
  }
  return columns.filter(({ length }) => length > 0).map((column) => nameOf(column, prompt));
}

/** Quantifier, number, superlative, noun, filter. */
function readEntries(all: readonly Token[], prompt: string): CollectStep | null {
  let tokens = stripArticles(all);
  const table = matchPattern(TABLE, tokens)?.["list"];
  if (table !== undefined) return { list: textOf(table, prompt) };
  const takesRows = isQuantified(tokens);
  if (takesRows) tokens = stripArticles(tokens.slice(tokens[1]?.word === "of" ? 2 : 1));
  const { cut, rest } = readCut(tokens);
  if (rest.length === 0) return cut.order === undefined ? null : cut;
  const end = rest.findIndex(({ word, kind }, index) => index > 0 && kind === "word" && FILTER_WORDS.has(word));
  const nouns = end === -1 ? rest : rest.slice(0, end);
  const narrowed = end === -1 ? {} : readNarrowing(rest.slice(end), prompt);
  return narrowed === null ? null : toCollect({ ...cut, ...narrowed }, nouns, takesRows, prompt);
}

/** "all rows in the table Users" means rows; "names in the table Users" means its column. */
function toCollect(rest: CollectStep, nouns: readonly Token[], takesRows: boolean, prompt: string): CollectStep | null {
  if (rest.list !== undefined && takesRows && !isRowOf(textOf(nouns, prompt), rest.list)) return null;
  const isColumns = rest.list !== undefined && !takesRows;
  if (!isColumns && nouns.some(({ word }) => NOT_IN_NOUNS.has(word))) return null;
  const columns = isColumns ? { columns: readColumns(nouns, prompt) } : {};
  return { list: textOf(nouns, prompt), ...columns, ...rest };
}

/** Words of a sentence that was not understood, and not of what rows are called. */
const NOT_IN_NOUNS = new Set([",", ":", "is", "are", "was", "were", "first", "sorted", "ordered"]);

/** "3 cheapest", "first 5", "newest". Only one is meant by a superlative without a number. */
function readCut(tokens: readonly Token[]): { cut: Pick<CollectStep, "order" | "limit">; rest: readonly Token[] } {
  const { limit, rest } = readLimit(tokens);
  const ordered = readSuperlative(rest);
  if (ordered === null) return { cut: limit === null ? {} : { limit }, rest };
  return { cut: { order: ordered.order, limit: limit ?? 1 }, rest: ordered.rest };
}

const ROWS = new Set(
  "row rows entry entries item items record records result results line lines link links".split(" "),
);

/** "items in my cart", "orders in the table Orders". "Blankets in my cart" are only some of its rows, and nobody knows which. */
export function isRowOf(noun: string, list: string): boolean {
  return ROWS.has(noun.toLowerCase()) || list.toLowerCase().includes(noun.toLowerCase().replace(/s$/, ""));
}

/** "3 cheapest", "first 5", "top 3", "last 2" (of the order that the page has). */
function readLimit(tokens: readonly Token[]): { limit: number | null; rest: readonly Token[] } {
  const [first, second] = tokens;
  const number = (token: Token | undefined) => (/^\d{1,5}$/.test(token?.word ?? "") ? Number(token?.word) : null);
  const count = number(first);
  if (count !== null && tokens.length > 1) return { limit: count, rest: tokens.slice(1) };
  const counted = number(second);
  if (counted !== null && (first?.word === "first" || first?.word === "top"))
    return { limit: counted, rest: tokens.slice(2) };
  return { limit: null, rest: tokens };
}

interface Ordered {
  readonly order: NonNullable<CollectStep["order"]>;
  readonly rest: readonly Token[];
}

function readSuperlative(tokens: readonly Token[]): Ordered | null {
  for (const length of [2, 1]) {
    const order = SUPERLATIVES.get(
      tokens
        .slice(0, length)
        .map(({ word }) => word)
        .join(" "),
    );
    if (order !== undefined) return { order, rest: tokens.slice(length) };
  }
  return null;
}

/** "the highest price", "most stars": what "with" or "has" may be followed by. */
export function readExtreme(tokens: readonly Token[], prompt: string): NonNullable<CollectStep["order"]> | null {
  const [first, ...rest] = stripArticles(tokens);
  if (first === undefined || rest.length === 0) return null;
  if (MOST.has(first.word)) return { by: nameOf(rest, prompt), direction: "descending" };
  return LEAST.has(first.word) ? { by: nameOf(rest, prompt), direction: "ascending" } : null;
}

const IN_LIST = parsePattern("(in|on|from|under) [the] [table|list|section] {list}");
const WITH_EXTREME = parsePattern("(with|having|that has|which has|that have) [the] {extreme}");

function readNarrowing(tokens: readonly Token[], prompt: string): Partial<CollectStep> | null {
  const { extreme } = matchPattern(WITH_EXTREME, tokens) ?? {};
  const order = extreme === undefined ? null : readExtreme(extreme, prompt);
  if (order !== null) return { order, limit: 1 };
  const text = textOf(tokens, prompt);
  const where = readFilter(text) ?? readComparison(tokens, prompt);
  if (where !== null) return { where };
  const { list } = matchPattern(IN_LIST, tokens) ?? {};
  // "under €15 each" is a filter that is not understood, and no place.
  if (list === undefined || /^\P{L}/u.test(list[0]?.text ?? "")) return null;
  const isNoun = list.at(-1)?.word === "list" || list.at(-1)?.word === "table";
  const name = nameOf(isNoun ? list.slice(0, -1) : list, prompt);
  return name === "" ? {} : { list: name };
}

/** For columns with signs in their names, which the words of a filter do not have: "where To/From is Bank". */
const COMPARISONS = (
  [
    ["is_not", "(is not|are not|isn't)"],
    ["at_least", "(is at least|at least|>=)"],
    ["at_most", "(is at most|at most|<=)"],
    ["more_than", "(is more than|is over|is above|>)"],
    ["less_than", "(is less than|is under|is below|<)"],
    ["before", "(is before|before)"],
    ["after", "(is after|after)"],
    ["contains", "(contains|includes|mentions)"],
    ["starts_with", "(starts with|begins with)"],
    ["ends_with", "(ends with)"],
    ["is", "(is|are|equals|=|of)"],
  ] as const
).map(([test, words]) => ({
  test,
  pattern: parsePattern(`(where|whose|with|having|have|has) [the|a|an|its|their] {column} ${words} {value}`),
}));

function readComparison(tokens: readonly Token[], prompt: string): Comparison[] | null {
  for (const { test, pattern } of COMPARISONS) {
    const { column, value } = matchPattern(pattern, tokens) ?? {};
    const isWhole = [...(column ?? []), ...(value ?? [])].every(({ word }) => word !== "and" && word !== ",");
    if (column !== undefined && value !== undefined && isWhole) {
      return [{ column: textOf(column, prompt), [test]: textOf(value, prompt) }];
    }
  }
  return null;
}

/** "under €20 and in stock" as comparisons. */
export function readFilter(text: string): Comparison[] | null {
  const filter = text.length > MAX_FILTER ? null : parseRowFilter(text);
  return filter === null ? null : toComparisons(filter);
}

function toComparisons(filter: RowFilter): Comparison[] | null {
  switch (filter.kind) {
    case "all": {
      const parts = filter.filters.map(toComparisons);
      return parts.every((part) => part !== null) ? parts.flat() : null;
    }
    case "not":
      return negate(toComparisons(filter.filter));
    case "amount":
      return [{ ...columnOf(filter), ...toBounds(filter) }];
    case "date": {
      const { from, to } = filter;
      return [{ ...columnOf(filter), ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }];
    }
    case "flag":
      return [filter.expected ? { column: filter.about, is: true } : { column: filter.about, is: false }];
    case "text":
      return [{ ...columnOf(filter), [TEXT_TESTS[filter.comparison]]: filter.text }];
  }
}

const TEXT_TESTS = { contains: "contains", equals: "is", starts: "starts_with", ends: "ends_with" } as const;

function toBounds({ from, to, currency }: RowFilter & { kind: "amount" }): Comparison {
  const write = (value: number) => (currency === null ? value : `${currency} ${value}`);
  if (from !== null && from.value === to?.value) return { is: write(from.value) };
  return {
    ...(from === null ? {} : { [from.isInclusive ? "at_least" : "more_than"]: write(from.value) }),
    ...(to === null ? {} : { [to.isInclusive ? "at_most" : "less_than"]: write(to.value) }),
  };
}

function columnOf({ about }: { readonly about: string | null }): Pick<Comparison, "column"> {
  return about === null ? {} : { column: about };
}

const OPPOSITES: Readonly<Record<string, keyof Comparison>> = {
  at_least: "less_than",
  less_than: "at_least",
  more_than: "at_most",
  at_most: "more_than",
};

/** Only a single comparison can be turned round; "not between" cannot be said with one. */
function negate(comparisons: Comparison[] | null): Comparison[] | null {
  const [only, ...more] = comparisons ?? [];
  if (only === undefined || more.length > 0) return null;
  const { is, contains, column } = only;
  const place = column === undefined ? {} : { column };
  if (typeof is === "boolean") return [{ ...place, is: !is }];
  if (is !== undefined) return [{ ...place, is_not: is }];
  if (contains !== undefined) return [{ ...place, does_not_contain: contains }];
  const [[test = "", value] = [], ...others] = Object.entries(only).filter(([key]) => key !== "column");
  const opposite = OPPOSITES[test];
  return opposite === undefined || others.length > 0 ? null : [{ ...place, [opposite]: value }];
}
