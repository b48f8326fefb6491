import type { CollectStep, ReadStep, Step } from "../step.ts";
import { isOr, type Token, textOf } from "./clauses.ts";
import { isRowOf, readColumns, readExtreme, readFilter, readList } from "./lists.ts";
import { matchPattern, parsePattern, type Slots } from "./pattern.ts";
import { nameOf, readOrdinal, readTarget, stripArticles } from "./targets.ts";

interface QuestionRule {
  readonly pattern: ReturnType<typeof parsePattern>;
  readonly make: (slots: Slots, prompt: string) => Step[] | null;
}

/** What "it" and "the page" stand for in a question: whatever the page is about. */
const PAGE_ITSELF = new Set([
  "it",
  "this",
  "that",
  "the page",
  "this page",
  "the product",
  "this product",
  "the item",
  "this item",
  "one",
]);
/** What is asked for with "how heavy": the label that pages use. */
const MEASURES = new Map([
  ["long", "length"],
  ["high", "height"],
  ["tall", "height"],
  ["wide", "width"],
  ["deep", "depth"],
  ["heavy", "weight"],
  ["old", "age"],
  ["far", "distance"],
  ["big", "size"],
  ["large", "size"],
  ["expensive", "price"],
]);
const SEE =
  "(are there|there are|there is|it has|it lists|are listed|are shown|do i have|does it list|can you see|exist)";

const QUESTIONS: readonly QuestionRule[] = [
  question("what does {subject} cost", ({ subject }, prompt) => readOf(["price"], subject, prompt)),
  question("how much (does|do) {subject} cost", ({ subject }, prompt) => readOf(["price"], subject, prompt)),
  question("what {subject} (costs|cost)", ({ subject }, prompt) => readOf(["price"], subject, prompt)),
  question("how much {subject} (costs|cost|is)", ({ subject }, prompt) => readOf(["price"], subject, prompt)),
  question("how much (is|are) {subject}", ({ subject }, prompt) => readOf(["price"], subject, prompt)),
  question("how much (does|do) {subject} weigh", ({ subject }, prompt) => readOf(["weight"], subject, prompt)),
  question("how {measure} (is|are) {subject}", ({ measure = [], subject }, prompt) => {
    const label = MEASURES.get(measure[0]?.word ?? "");
    return label === undefined || measure.length > 1 ? null : readOf([label], subject, prompt);
  }),
  question(
    "how many {noun} (does|do|did|can|will) (it|this|that|the page|this product) {verb}",
    ({ noun = [], verb = [] }, prompt) => {
      if (verb.length !== 1) return null;
      const isPlain = /^(?:have|has|show|list|contain|include)$/.test(verb[0]?.word ?? "");
      const number_of = nameOf(noun, prompt);
      return [{ read: { as: number_of, number_of, ...(isPlain ? {} : { verb: verb[0]?.word ?? "" }) } }];
    },
  ),
  question(`how many {noun} ${SEE} {filter}`, ({ noun, filter }, prompt) =>
    count([...(noun ?? []), ...(filter ?? [])], prompt),
  ),
  question(`how many {noun} ${SEE}`, ({ noun }, prompt) => count(noun, prompt)),
  question("how many {noun} (have|has) {column} of {value}", ({ noun = [], column = [], value = [] }, prompt) => {
    const where = [{ column: nameOf(column, prompt), is: textOf(value, prompt) }];
    return [{ collect: { as: nameOf(noun, prompt), list: nameOf(noun, prompt), where, count: true } }];
  }),
  question("how many {noun} (are|is|were|was|have|has|cost) {filter}", ({ noun = [], filter = [] }, prompt) => {
    const verb = prompt.slice(noun.at(-1)?.end ?? 0, filter[0]?.start ?? 0).trim();
    const where = readFilter(`${verb} ${textOf(filter, prompt)}`) ?? readFilter(textOf(filter, prompt));
    if (where === null) return count([...noun, ...filter], prompt);
    return [{ collect: { as: nameOf(noun, prompt), list: nameOf(noun, prompt), where, count: true } }];
  }),
  question("how many {noun}", ({ noun }, prompt) => count(noun, prompt)),
  question("which {noun} (has|have|had) [the] {extreme}", ({ noun = [], extreme = [] }, prompt) => {
    const [list, order] = [readList(noun, prompt), readExtreme(extreme, prompt)];
    return order === null || list === null ? null : [{ collect: { ...list, order, limit: 1 } }];
  }),
  question(
    "which {noun} (is|are|was|were) [the] {adjective} and {filter}",
    ({ noun = [], adjective, filter }, prompt) => {
      const [list, order] = [readList(noun, prompt), readList(adjective ?? [], prompt)?.order];
      const where = readFilter(textOf(filter ?? [], prompt));
      return list === null || order === undefined || where === null
        ? null
        : [{ collect: { ...list, where, order, limit: 1 } }];
    },
  ),
  question("which {noun} (is|are|was|were) [the] {adjective}", ({ noun = [], adjective = [] }, prompt) => {
    const [list, ordered] = [readList(noun, prompt), readList(adjective, prompt)];
    if (list === null) return null;
    if (ordered?.order !== undefined && ordered.list === undefined) return [{ collect: { ...list, ...ordered } }];
    const where = readFilter(textOf(adjective, prompt));
    return where === null ? null : [{ collect: { ...list, where } }];
  }),
  question("which (is|are) [the] {list}", ({ list }, prompt) => collect(list, prompt)),
  question("what is (selected|chosen|entered|written|typed) (in|as|for) {field}", ({ field = [] }, prompt) => {
    const target = readTarget(field, prompt);
    return target === null ? null : [{ read: { as: nameOf(field, prompt), field: target } }];
  }),
  question("(what|who|when|where) (is|are|was|were) {label} in {row}", ({ label, row = [] }, prompt) =>
    readOrdinal(stripArticles(row)[0]?.word) === null ? null : readOf(readColumns(label ?? [], prompt), row, prompt),
  ),
  question("(what|who|when|where) (is|are|was|were) {label} (of|for) {row}", ({ label, row }, prompt) =>
    readOf(readColumns(label ?? [], prompt), row, prompt),
  ),
  question("(what|who|when|where) (is|are|was|were) {label} in (the row of|row) {row}", ({ label, row }, prompt) =>
    readOf(readColumns(label ?? [], prompt), row, prompt),
  ),
  question("(what|who|when|where) (is|are|was|were) {label}", ({ label }, prompt) => readWhat(label ?? [], prompt)),
  question("(what|who|when|where) {label} (is|are|was|were)", ({ label }, prompt) => readWhat(label ?? [], prompt)),
  question("what does {place} say (about|for|under) {label}", ({ label }, prompt) => readWhat(label ?? [], prompt)),
  question("(what|which) {label} does (it|the page|this page) (have|show|say|give)", ({ label }, prompt) =>
    readWhat(label ?? [], prompt),
  ),
];

function question(source: string, make: QuestionRule["make"]): QuestionRule {
  return { pattern: parsePattern(source), make };
}

const QUESTION_WORDS = new Set(["what", "what's", "how", "which", "who", "when", "where"]);

export function isQuestionWord(word: string): boolean {
  return QUESTION_WORDS.has(word);
}

/** "What does it cost?", "How many orders are there?", "What is Close for Thursday?". */
export function readQuestion(tokens: readonly Token[], prompt: string): Step[] | null {
  if (tokens.some(isOr)) return null;
  for (const { pattern, make } of QUESTIONS) {
    const slots = matchPattern(pattern, tokens);
    const steps = slots === null ? null : make(slots, prompt);
    if (steps !== null) return steps;
  }
  return null;
}

/** What "tell me", "list" and "read" are followed by: a question, a list, or the label of a value. */
export function readRequest(tokens: readonly Token[], prompt: string, { isList }: { isList: boolean }): Step[] | null {
  const [first] = tokens;
  if (tokens.some(isOr)) return null;
  if (first !== undefined && isQuestionWord(first.word)) return readQuestion(tokens, prompt);
  const { number } = matchPattern(NUMBER_OF, tokens) ?? {};
  if (number !== undefined) return count(number, prompt);
  if (isList || QUANTIFIED.has(stripArticles(tokens)[0]?.word ?? "")) return collect(tokens, prompt);
  const { label, row } = matchPattern(LABEL_OF, tokens) ?? {};
  if (label === undefined || row === undefined) return readNarrowed(tokens, prompt) ?? readWhat(tokens, prompt);
  // "the price of Larch", but "the prices of the trees".
  const isMany = QUANTIFIED.has(row[0]?.word ?? "") || isPlural(row);
  return isMany ? collect(tokens, prompt) : readOf(readColumns(label, prompt), row, prompt);
}

/** "the cheapest tree", "trees under €20". */
function readNarrowed(tokens: readonly Token[], prompt: string): Step[] | null {
  const list = readList(tokens, prompt);
  return list?.order === undefined && list?.where === undefined ? null : [{ collect: list }];
}

const NUMBER_OF = parsePattern("[the] (number|count) of {number}");
const LABEL_OF = parsePattern("{label} (of|for) {row}");
const QUANTIFIED = new Set(["all", "every", "each", "both"]);

/** "the names of the products": a plain noun with the ending of the plural, and no name in capitals. */
function isPlural(tokens: readonly Token[]): boolean {
  const [first] = tokens;
  const last = tokens.at(-1);
  return (
    first?.word === "the" &&
    last?.kind === "word" &&
    /^\p{Ll}{3,}s$/u.test(last.text) &&
    !/(?:ss|us|is)$/.test(last.text)
  );
}

function collect(tokens: readonly Token[] | undefined, prompt: string): Step[] | null {
  const list = tokens === undefined ? null : readList(tokens, prompt);
  return list === null ? null : [{ collect: list }];
}

function count(tokens: readonly Token[] | undefined, prompt: string): Step[] | null {
  const list = tokens === undefined ? null : readList(tokens, prompt);
  if (list === null) return null;
  const { columns = [], ...rest } = list;
  if (columns.some((column) => !isRowOf(column, rest.list ?? ""))) return null;
  return [{ collect: { as: rest.list ?? "count", ...rest, count: true } satisfies CollectStep }];
}

/** The values of one record, or of the page when the question is about "it". */
function readOf(labels: readonly string[], subject: readonly Token[] | undefined, prompt: string): Step[] | null {
  if (subject === undefined || labels.some((label) => label === "")) return null;
  const name = textOf(subject, prompt);
  const plain = stripArticles(subject);
  const nth = readOrdinal(plain[0]?.word);
  if (nth !== null && plain.length > 1) {
    return [{ collect: { list: textOf(plain.slice(1), prompt), columns: [...labels], nth } }];
  }
  const list = readList(subject, prompt);
  if (list?.order !== undefined) return [{ collect: { ...list, columns: [...labels] } }];
  if (PAGE_ITSELF.has(name.toLowerCase())) return labels.map((label) => ({ read: { as: label, label } }));
  const row = nameOf(subject, prompt);
  return labels.map((column) => ({ read: { as: `${column} of ${row}`, row, column } }));
}

const HEADINGS = /^(?:main |page )?(?:heading|title|headline)(?: of (?:the|this) page)?$/i;

/** A label, several labels, or the heading of the page. */
function readWhat(all: readonly Token[], prompt: string): Step[] | null {
  const tokens = all.length > 1 && all[0]?.word === "it" ? all.slice(1) : all;
  const whole = nameOf(tokens, prompt);
  if (HEADINGS.test(whole)) return [{ read: { as: whole, heading: true } satisfies ReadStep }];
  if (/^(?:text|line|value|word|content) (?:after|behind|following) /i.test(whole)) {
    const after = whole.replace(/^\S+ \S+ /, "").replace(/^["“](.*)["”]$/, "$1");
    return [{ read: { as: "text", after } }];
  }
  // "What is latest?" asks for the label; "What is the latest order?" asks for one of a list.
  const list = tokens.length === 1 ? null : readList(tokens, prompt);
  if (list?.order !== undefined) return [{ collect: list }];
  const labels = readColumns(tokens, prompt);
  if (labels.length === 0) return null;
  return labels.map((label) => ({ read: { as: label, label } }));
}
