import { parseRowFilter } from "../../extraction/row-filter.ts";
import type { CollectStep, Comparison } from "../step.ts";
import { splitAt, type Token, textOf } from "./clauses.ts";
import { matchPattern, type Pattern, parsePattern } from "./pattern.ts";
import { nameOf, stripArticles } from "./targets.ts";

const QUANTIFIERS = new Set(["all", "every", "each", "any", "both"]);

type Order = NonNullable<CollectStep["order"]>;

/** Adjectives that order a list, by the column and the direction that they stand for. */
const SUPERLATIVES = new Map<string, Order>(
  (
    [
      ["price", "ascending", "cheapest, least expensive"],
      ["price", "descending", "priciest, most expensive"],
      ["date", "ascending", "oldest, earliest"],
      ["date", "descending", "newest, latest, most recent"],
      ["rating", "ascending", "lowest rated"],
      ["rating", "descending", "best rated, highest rated"],
    ] as const
  ).flatMap(([by, direction, words]) => words.split(", ").map((word) => [word, { by, direction }] as const)),
);
const MOST = new Set("most highest largest biggest greatest longest maximum best top".split(" "));
const LEAST = new Set(["least", "lowest", "smallest", "fewest", "shortest", "minimum"]);
/** Words that begin what narrows a list down. */
const FILTER_WORDS = new Set(
  "where whose with without having that which who under over below above before after since until between from in on at by costing priced containing mentioning including named called titled more less at up cheaper dated not except".split(
    " ",
  ),
);

/** What can stand behind a list, and what it adds to the step. */
const ENDINGS: readonly (readonly [Pattern, (column: string) => CollectStep])[] = (
  [
    ["{list} (on|from|across|over) (all|every|each) [the] (page|pages)", () => ({ pages: "all" })],
    ["{list} (on|from|across|over) (all|every|each) [the] (page|pages) {filter}", () => ({ pages: "all" })],
    ["{list} [,] page by page", () => ({ pages: "all" })],
    ["{list} [,] (sorted|ordered) by [the|its|their] {column}", (by) => ({ order: { by, direction: "ascending" } })],
    ...[...SUPERLATIVES].map(([words, order]) => [`{list} [,] ${words} first`, () => ({ order })] as const),
    ["{list} on (this|the) page", () => ({ pages: "this" })],
  ] satisfies (readonly [string, (column: string) => CollectStep])[]
).map(([source, toFields]) => [parsePattern(source), toFields]);
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
  for (const [pattern, toFields] of ENDINGS) {
    const { list, column = [], filter = [] } = matchPattern(pattern, tokens) ?? {};
    if (list === undefined) continue;
    const inner = readList([...list, ...filter], prompt);
    return inner === null ? null : { ...inner, ...toFields(nameOf(column, prompt)) };
  }
  const { columns, list } = matchPattern(COLUMNS_OF, tokens) ?? {};
  // "all products with a price of at least 5": this "of" belongs to the filter.
  const isInFilter = columns?.some(({ word }) => word === "with" || word === "having" || word === "whose") === true;
  if (columns === undefined || list === undefined || isInFilter) return readEntries(tokens, prompt);
  const inner = readEntries(list, prompt);
  if (inner === null || isQuantified(columns)) return inner;
  const names = readColumns(columns, prompt);
  return names === null ? null : { ...inner, columns: names };
}

function isQuantified(tokens: readonly Token[]): boolean {
  return QUANTIFIERS.has(stripArticles(tokens)[0]?.word ?? "");
}

/** "names and prices", "the name, the price and the rating". Null when nothing is named. */
export function readColumns(tokens: readonly Token[], prompt: string): string[] | null {
  const columns = splitAt(tokens, ({ word }) => word === "," || word === "and" || word === "plus");
  return columns.length === 0 ? null : columns.map((column) => nameOf(column, prompt));
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
  const columns = isColumns ? { columns: readColumns(nouns, prompt) ?? [] } : {};
  return { list: textOf(nouns, prompt), ...columns, ...rest };
}

/** Words of a sentence that was not understood, and not of what rows are called. */
const NOT_IN_NOUNS = new Set(", : is are was were first sorted ordered".split(" "));

/** "3 cheapest", "first 5", "newest". Only one is meant by a superlative without a number. */
function readCut(all: readonly Token[]): { cut: Pick<CollectStep, "order" | "limit">; rest: readonly Token[] } {
  const at = all[0]?.word === "first" || all[0]?.word === "top" ? 1 : 0;
  const isNumber = /^\d{1,5}$/.test(all[at]?.word ?? "") && all.length > 1;
  const tokens = isNumber ? all.slice(at + 1) : all;
  const limit = isNumber ? { limit: Number(all[at]?.word) } : {};
  for (const length of [2, 1]) {
    const words = tokens.slice(0, length).map(({ word }) => word);
    const order = SUPERLATIVES.get(words.join(" "));
    if (order !== undefined) return { cut: { order, limit: 1, ...limit }, rest: tokens.slice(length) };
  }
  return { cut: limit, rest: tokens };
}

const ROWS = new Set(
  "row rows entry entries item items record records result results line lines link links".split(" "),
);

/** "items in my cart", "orders in the table Orders". "Blankets in my cart" are only some of its rows, and nobody knows which. */
export function isRowOf(noun: string, list: string): boolean {
  return ROWS.has(noun.toLowerCase()) || list.toLowerCase().includes(noun.toLowerCase().replace(/s$/, ""));
}

/** "the highest price", "most stars": what "with" or "has" may be followed by. */
export function readExtreme(tokens: readonly Token[], prompt: string): Order | null {
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
  const where = readFilter(text);
  if (where !== null) return { where };
  const { list } = matchPattern(IN_LIST, tokens) ?? {};
  // "under €15 each" is a filter that is not understood, and no place.
  if (list === undefined || /^\P{L}/u.test(list[0]?.text ?? "")) return null;
  const isNoun = list.at(-1)?.word === "list" || list.at(-1)?.word === "table";
  const name = nameOf(isNoun ? list.slice(0, -1) : list, prompt);
  return name === "" ? {} : { list: name };
}

/** "under €20 and in stock" as comparisons. */
export function readFilter(text: string): Comparison[] | null {
  return text.length > MAX_FILTER ? null : parseRowFilter(text);
}
