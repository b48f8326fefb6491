import type { CollectStep, Step } from "../step.ts";
import { isPastForm } from "../verbs.ts";
import { isOr, type Token, textOf } from "./clauses.ts";
import { isRowOf, readColumns, readExtreme, readFilter, readList } from "./lists.ts";
import { createForms, type Form, matchPattern, parsePattern, readFirst } from "./pattern.ts";
import { isComparing } from "./statements.ts";
import { readHappening, readSubject, readWhether } from "./states.ts";
import { nameOf, readOrdinal, readTarget, splitPossessive, stripArticles } from "./targets.ts";

/** What is asked for with "how heavy": the label that pages use. */
const MEASURES = new Map(
  Object.entries({
    long: "length",
    high: "height",
    tall: "height",
    wide: "width",
    deep: "depth",
    heavy: "weight",
    old: "age",
    far: "distance",
    big: "size",
    large: "size",
    expensive: "price",
  }),
);
const SEE =
  "(are there|there are|there is|it has|it lists|are listed|are shown|do i have|does it list|can you see|exist)";

const form = createForms({
  tokens: (tokens) => tokens,
  word: ([only, ...more]) => (more.length > 0 ? null : (only?.word ?? null)),
  measure: ([only, ...more]) => (more.length > 0 ? null : (MEASURES.get(only?.word ?? "") ?? null)),
  name: nameOf,
  target: readTarget,
  list: readList,
  counted: count,
  columns: readColumns,
  order: readExtreme,
  where: (tokens, prompt) => readFilter(textOf(tokens, prompt)),
  /** "a total of at least €50" is no text that a cell holds. */
  plain: (tokens, prompt) => (isComparing(tokens) ? null : textOf(tokens, prompt)),
  costing: (tokens, prompt) => readFilter(`cost ${textOf(tokens, prompt)}`),
  /** "cheapest" */
  best: (tokens, prompt) => {
    const list = readList(tokens, prompt);
    return list?.list !== undefined || list?.order === undefined ? null : list;
  },
  valuesOf,
  /** "What's the cost" is another question than "what it costs". */
  thing: (tokens, prompt) => (YES_NO.has(tokens[0]?.word ?? "") ? null : valuesOf(tokens, prompt)),
  valuesOfNth: (tokens, prompt) =>
    readOrdinal(stripArticles(tokens)[0]?.word) === null ? null : valuesOf(tokens, prompt),
  labelled: readLabelled,
  happening: (tokens, prompt) => readHappening(tokens, prompt, "when"),
  happened: (tokens, prompt) => readHappening(tokens, prompt, "when", { isPast: true }),
  to: (tokens, prompt) => (isDone(tokens) ? readHappening(tokens, prompt, "who", { isTo: true }) : null),
  /** "assigned to T-1": of a thing, the one that it is assigned to. */
  assigned: ([verb, to, ...about], prompt) =>
    verb?.word === "assigned" && to?.word === "to"
      ? readHappening([...about, verb], prompt, "who", { isTo: true })
      : null,
  by: (tokens, prompt) => (isDone(tokens) ? readHappening(tokens, prompt, "who") : null),
  done: (tokens, prompt) => (isDone(tokens) ? readHappening(tokens, prompt, "when") : null),
  wasDone: (tokens, prompt) => (isDone(tokens) ? readHappening(tokens, prompt, "when", { isPast: true }) : null),
  doing: (tokens, prompt) => readHappening([...tokens.slice(1), ...tokens.slice(0, 1)], prompt, "who"),
});

/** "T-1 created", "it due" */
function isDone(tokens: readonly Token[]): boolean {
  const verb = tokens.at(-1)?.word ?? "";
  return verb === "due" || isPastForm(verb);
}

const QUESTIONS: readonly Form<Step[]>[] = [
  form("what does {valuesOf} cost", ({ valuesOf: of }) => of(["price"])),
  form("how much (does|do) {valuesOf} cost", ({ valuesOf: of }) => of(["price"])),
  form("what {thing} (costs|cost)", ({ thing: of }) => of(["price"])),
  form("how much {valuesOf} (costs|cost|is)", ({ valuesOf: of }) => of(["price"])),
  form("how much (is|are) {valuesOf}", ({ valuesOf: of }) => of(["price"])),
  form("how much (does|do) {valuesOf} weigh", ({ valuesOf: of }) => of(["weight"])),
  form("how {measure} (is|are) {valuesOf}", ({ measure, valuesOf: of }) => of([measure])),
  form(
    "how many {noun:name} (does|do|did|can|will) (it|this|that|the page|this product) {verb:word}",
    ({ noun, verb }) => {
      const isPlain = /^(?:have|has|show|list|contain|include)$/.test(verb);
      return [{ read: { as: noun, number_of: noun, ...(isPlain ? {} : { verb }) } }];
    },
  ),
  form(`how many {noun:tokens} ${SEE} {filter:tokens}`, ({ noun, filter }, prompt) =>
    count([...noun, ...filter], prompt),
  ),
  form(`how many {counted} ${SEE}`, ({ counted }) => counted),
  form("how many {noun:name} (have|has) {where}", ({ noun, where }) => countWhere(noun, where)),
  form("how many {noun:name} (have|has) {column:name} of {plain}", ({ noun, column, plain }) =>
    countWhere(noun, [{ column, is: plain }]),
  ),
  form("how many {noun:name} cost {where:costing}", ({ noun, where }) => countWhere(noun, where)),
  form("how many {noun:name} (are|is|were|was) {where}", ({ noun, where }) => countWhere(noun, where)),
  // "waiting": whether it is a state of the rows is for the page to say.
  form("how many {noun:name} (are|is|were|was) {state:word}", ({ noun, state }) =>
    state === "there" ? null : countWhere(noun, [{ is: state }]),
  ),
  form("how many {noun:tokens} (are|is|were|was|have|has) {filter:tokens}", ({ noun, filter }, prompt) =>
    count([...noun, ...filter], prompt),
  ),
  form("how many {column:name} (does|do|did) {row:valuesOf} have [left]", ofRow),
  form("how many {counted}", ({ counted }) => counted),
  form("how many {column:name} of {row:valuesOf} (are there|are left|are in stock|do you have|do they have)", ofRow),
  form("which {list} (has|have|had) [the] {order}", ({ list, order }) => [{ collect: { ...list, order, limit: 1 } }]),
  form("which {list} (is|are|was|were) [the] {best} and {where}", ({ list, best, where }) => [
    { collect: { ...list, where, ...best } },
  ]),
  form("which {list} (is|are|was|were) [the] {best}", ({ list, best }) => [{ collect: { ...list, ...best } }]),
  form("which {list} (is|are|was|were) [the] {where}", ({ list, where }) => [{ collect: { ...list, where } }]),
  form("which (is|are) [the] {list}", ({ list }) => [{ collect: list }]),
  form("what is (selected|chosen|entered|written|typed) (in|as|for) {field:tokens}", ({ field: tokens }, prompt) => {
    const field = readTarget(tokens, prompt);
    return field === null ? null : [{ read: { as: nameOf(tokens, prompt), field } }];
  }),
  form("(what|who|when|where) (is|are|was|were) {columns} in {of:valuesOfNth}", ({ columns, of }) => of(columns)),
  form(
    "(what|who|when|where) (is|are|was|were) {columns} in (the row of|row) {valuesOf}",
    ({ columns, valuesOf: of }) => of(columns),
  ),
  form("(what|who|when|where) (is|are|was|were) {columns} (of|for) {valuesOf}", ({ columns, valuesOf: of }) =>
    of(columns),
  ),
  form("who (is|are|was|were) {to} to", ({ to }) => [to]),
  form("who (is|are|was|were) {assigned}", ({ assigned }) => [assigned]),
  form("who (is|are|was|were) {by} by", ({ by }) => [by]),
  form("when (does|do|will) {happening}", ({ happening }) => [happening]),
  form("when did {happened}", ({ happened }) => [happened]),
  form("when (is|are) {done}", ({ done }) => [done]),
  form("when (was|were) {wasDone}", ({ wasDone }) => [wasDone]),
  form("(what|who|when|where) (is|are|was|were) {labelled}", ({ labelled }) => labelled),
  form("(what|who|when|where) {labelled} (is|are|was|were)", ({ labelled }) => labelled),
  form("(what|which) {columns} (does|do|did) {valuesOf} have", ({ columns, valuesOf: of }) => of(columns)),
  form("(what|which) {columns} (is|are) {valuesOf} (on|in|using)", ({ columns, valuesOf: of }) => of(columns)),
  form("(what|which) {labelled} does (it|the page|this page) (have|show|say|give)", ({ labelled }) => labelled),
  form("who {doing}", ({ doing }) => [doing]),
];

function ofRow({ column, row }: { column: string; row: (labels: readonly string[]) => Step[] }): Step[] {
  return row([column]);
}

const QUESTION_WORDS = new Set(["what", "how", "which", "who", "when", "where"]);

export function isQuestionWord(word: string): boolean {
  return QUESTION_WORDS.has(word);
}

/** Also "Is Gift wrap enabled?", which no clause can be taken for. */
export function isQuestion([first]: readonly Token[]): boolean {
  return isQuestionWord(first?.word ?? "") || YES_NO.has(first?.word ?? "");
}

const YES_NO = new Set(["is", "are", "was", "were"]);

/** "What does it cost?", "How many orders are there?", "What is Close for Thursday in the table Opening hours?". */
export function readQuestion(all: readonly Token[], prompt: string): Step[] | null {
  if (all.some(isOr)) return null;
  const isYesNo = YES_NO.has(all[0]?.word ?? "");
  return inList(all, prompt, (tokens) =>
    isYesNo ? readWhether(tokens, prompt) : readFirst(QUESTIONS, tokens, prompt),
  );
}

/** What "tell me", "list" and "read" are followed by: a question, a list, or the label of a value. */
export function readRequest(all: readonly Token[], prompt: string, isList: boolean): Step[] | null {
  if (isQuestionWord(all[0]?.word ?? "")) return readQuestion(all, prompt);
  const { said } = all.some(isOr) ? {} : (matchPattern(WHETHER, all) ?? {});
  if (said !== undefined) return readWhether(withCopulaFirst(said), prompt);
  return all.some(isOr) ? null : inList(all, prompt, (tokens) => readValues(tokens, prompt, isList));
}

const WHETHER = parsePattern("(if|whether) {said}");

/** "the lamp is in stock" as a question. */
function withCopulaFirst(tokens: readonly Token[]): readonly Token[] {
  const at = tokens.findLastIndex(({ word }) => YES_NO.has(word));
  const copula = tokens[at];
  return at < 1 || copula === undefined ? [] : [copula, ...tokens.toSpliced(at, 1)];
}

const IN_LIST = parsePattern("{what} (in|on|from|under) the (table|list|section) [called|named|of] {list}");
const IN_NAMED_LIST = parsePattern("{what} (in|on|from|under) the {list} (table|list|section)");

/** "… in the table Orders": only values of rows, and lists, can be in one. */
function inList(
  tokens: readonly Token[],
  prompt: string,
  read: (tokens: readonly Token[]) => Step[] | null,
): Step[] | null {
  const { what, list } = matchPattern(IN_LIST, tokens) ?? matchPattern(IN_NAMED_LIST, tokens) ?? {};
  const inner = what === undefined ? null : read(what);
  if (inner === null || list === undefined) return read(tokens);
  const name = nameOf(list, prompt);
  if (inner.every((step) => "collect" in step)) return read(tokens) ?? inner.map((step) => ofList(step.collect, name));
  const values = inner.flatMap((step) => ("read" in step && step.read.row !== undefined ? [step.read] : []));
  return values.length < inner.length ? null : values.map((value) => ({ read: { ...value, list: name } }));
}

/** Of "open orders", "open" is a value of the rows. */
function ofList(collect: CollectStep, name: string): Step {
  const words = (collect.list ?? "").split(" ").slice(0, -1);
  return { collect: { ...collect, list: [...words, name].join(" ") } };
}

const NUMBER_OF = parsePattern("[the] (number|count) of {number}");
const LABEL_OF = form("{columns} (of|for) {row:tokens}", (slots) => slots);
const QUANTIFIED = new Set(["all", "every", "each", "both"]);

function readValues(tokens: readonly Token[], prompt: string, isList: boolean): Step[] | null {
  const { number } = matchPattern(NUMBER_OF, tokens) ?? {};
  if (number !== undefined) return count(number, prompt);
  const list = readList(tokens, prompt);
  const listed = list === null ? null : [{ collect: list }];
  if (isList || QUANTIFIED.has(stripArticles(tokens)[0]?.word ?? "")) return listed;
  const labelOf = LABEL_OF.read(tokens, prompt);
  // "the cheapest tree", "trees under €20"
  const isNarrowed = list?.order !== undefined || list?.where !== undefined;
  if (labelOf === null) return isNarrowed ? listed : readLabelled(tokens, prompt);
  // "the price of Larch", but "the prices of the trees".
  const { columns, row } = labelOf;
  return QUANTIFIED.has(row[0]?.word ?? "") || isPlural(row) ? listed : valuesOf(row, prompt)(columns);
}

/** "the names of the products": a plain noun with the ending of the plural, and no name in capitals. */
function isPlural(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1);
  return tokens[0]?.word === "the" && last?.kind === "word" && /^\p{Ll}{3,}(?<!s|u|i)s$/u.test(last.text);
}

function countWhere(list: string, where: NonNullable<CollectStep["where"]>): Step[] {
  return [{ collect: { as: list, list, where, count: true } }];
}

function count(tokens: readonly Token[], prompt: string): Step[] | null {
  const read = readList(tokens, prompt);
  if (read === null) return null;
  const { columns = [], list = "", ...rest } = read;
  if (columns.some((column) => !isRowOf(column, list))) return null;
  return [{ collect: { as: list || "count", ...(list === "" ? {} : { list }), ...rest, count: true } }];
}

/** Reads columns of one record, or labels of the page when the question is about "it". */
function valuesOf(tokens: readonly Token[], prompt: string): (labels: readonly string[]) => Step[] {
  const plain = stripArticles(tokens);
  const nth = plain.length > 1 ? readOrdinal(plain[0]?.word) : null;
  if (nth !== null)
    return (labels) => [{ collect: { list: textOf(plain.slice(1), prompt), columns: [...labels], nth } }];
  const list = readList(tokens, prompt);
  if (list?.order !== undefined) return (labels) => [{ collect: { ...list, columns: [...labels] } }];
  const row = readSubject(tokens, prompt);
  if (row === null) return readLabels;
  return (labels) => labels.map((column) => ({ read: { as: `${column} of ${row}`, row, column } }));
}

function readLabels(labels: readonly string[]): Step[] {
  return labels.map((label) => ({ read: { as: label, label } }));
}

const HEADINGS = /^(?:main |page )?(?:heading|title|headline)(?: of (?:the|this) page)?$/i;
const TEXT_AFTER = form("[the] (text|line|value|word|content) (after|behind|following) {text}", ({ text }) => text);

/** A label, several labels, or the heading of the page. */
function readLabelled(all: readonly Token[], prompt: string): Step[] | null {
  const tokens = all.length > 1 && all[0]?.word === "it" ? all.slice(1) : all;
  const whole = nameOf(tokens, prompt);
  if (HEADINGS.test(whole)) return [{ read: { as: whole, heading: true } }];
  const after = TEXT_AFTER.read(tokens, prompt);
  if (after !== null) return [{ read: { as: "text", after } }];
  // "What is latest?" asks for the label; "What is the latest order?" asks for one of a list.
  const list = tokens.length === 1 ? null : readList(tokens, prompt);
  if (list?.order !== undefined) return [{ collect: list }];
  const { owner, rest } = splitPossessive(tokens) ?? {};
  const columns = rest === undefined ? null : readColumns(rest, prompt);
  if (owner !== undefined && columns !== null) return valuesOf(owner, prompt)(columns);
  const labels = readColumns(tokens, prompt);
  return labels === null ? null : readLabels(labels);
}
