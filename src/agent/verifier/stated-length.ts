import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { createSurroundings } from "../extraction/list-surroundings.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { stemNoun } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import type { Case } from "./case.ts";
import { numbersIn } from "./check-coverage.ts";
import { toPageLines } from "./page-lines.ts";

/** What pages say themselves about how long a list is. */

const NOUN =
  /\b(?:how many|number of|all|every|each|any)(?: of)?(?: the| my| our| these| those)?(?: ([a-z-]{3,30}))? ([\p{L}-]{3,30})\b/giu;

/** What a task asks the number or all of: "invoice" of "how many invoices are", and "open" and "invoice" of "all open invoices". */
export function nounsIn(words: string): string[] {
  return [...words.matchAll(NOUN)].flatMap(([, first = "", second = ""]) => stemsIn(`${first} ${second}`));
}

const LITTLE_WORDS: ReadonlySet<string> = new Set(
  "all and any are can did does each every for from had has have how its many not our that the there these this those was were what which who with you your".split(
    " ",
  ),
);

function stemsIn(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  return words.filter((word) => !LITTLE_WORDS.has(word)).map(stemNoun);
}

/** Words for the rows of any list. */
const ANY_ROWS = /^(?:count|entry|hit|in|item|listed|match|more|of|on|page|per|record|result|row|shown|total)$/;
const END = /\s+(?:found|in total|total|listed|shown)[.:]?$/i;
const COUNTED = /\d\s+(?:[\p{L}-]+\s+)?(\p{L}[\p{L}-]*)[.:]?$/u;
const LABELLED = /^(?:number of |total )?(\p{L}[\p{L}-]*)(?: found)?:? \d[\d.,]*$/iu;

/** What a line counts: "250 products", "1–4 of 12 invoices". Empty where it is not said, or said with a word for any rows. */
function findCounted(line: string): string {
  const text = line.trim().replace(END, "");
  const noun = stemNoun(COUNTED.exec(text)?.[1] ?? LABELLED.exec(text)?.[1] ?? "");
  return ANY_ROWS.test(noun) ? "" : noun;
}

interface ListOnPage {
  /** Its rows there. */
  readonly rows: readonly ObservedNode[];
  /** What the list and its page are called. */
  readonly names: readonly string[];
  /** The words of the task. */
  readonly words: string;
}

/**
 * The page without lines that count something else. "250 products" is no count of invoices, if the page calls the list as the task does;
 * neither is "25 results" in another part of the page.
 */
export function withoutOtherCounts(page: CapturedPage, { rows, names, words }: ListOnPage): CapturedPage {
  const surroundings = createSurroundings(page.root, rows);
  const asked = new Set(stemsIn(words));
  const called = names.flatMap(stemsIn).filter((stem) => asked.has(stem));
  const own = new Set([...nounsIn(words), ...called]);
  const others = new Set<ObservedNode>();
  for (const visit of walk(page.root)) {
    const { node } = visit;
    const isLine = node.children.length === 0 || node.children.every(({ role }) => role === "text");
    if (!isLine) continue;
    const noun = findCounted(readText(node));
    const isOwn = own.has(noun) || ((noun === "" || called.length === 0) && surroundings.isAbout(visit));
    if (!isOwn) others.add(node);
  }
  return { ...page, root: without(page.root, others) };
}

function without(node: ObservedNode, left: ReadonlySet<ObservedNode>): ObservedNode {
  return { ...node, children: node.children.filter((child) => !left.has(child)).map((child) => without(child, left)) };
}

/**
 * Whether a page itself states a number of the answer: a line outside of the rows has it beside a word of the task or one for any rows, as
 * in "12 invoices", "Open: 3" and "1–4 of 12". "Version 2" counts nothing.
 */
export function isStated(
  { answer, facts }: Case["claim"],
  pages: readonly CapturedPage[],
  rows: readonly string[],
  words: string,
): boolean {
  const said = numbersIn(answer);
  const plurals = (words.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter((word) => stemNoun(word) !== word);
  const stems = { asked: new Set(stemsIn(words)), nouns: new Set(plurals.map(stemNoun)) };
  return facts.some(({ quote, url }) => {
    const numbers = numbersIn(quote ?? "").filter((number) => said.includes(number));
    if (quote === null || numbers.length === 0 || rows.some((row) => contains(row, quote))) return false;
    const texts = [
      quote,
      ...pages.filter((page) => isSamePage(page.url, url)).flatMap((page) => linesWith(page, quote)),
    ];
    return texts.some((text) => numbers.some((number) => counts(text, number, stems)));
  });
}

/** The lines of a quote; of a number alone, with the lines before and after it, one of which says what it counts. */
function linesWith({ root }: CapturedPage, quote: string): string[] {
  const lines = toPageLines(root).map(({ text }) => text);
  return lines.flatMap((line, index) => {
    if (!contains(line, quote)) return [];
    const near = [lines[index - 1], lines[index + 1]].flatMap((each) => each ?? []);
    return /\p{L}{2}/u.test(line) ? [line] : near.flatMap((each) => [`${each}: ${line}`, `${line} ${each}`]);
  });
}

interface Stems {
  readonly asked: ReadonlySet<string>;
  /** Those that the task has in the plural. */
  readonly nouns: ReadonlySet<string>;
}

/** Of a number, the word before it with what is between the two, the number itself, and up to three words after it. */
const BESIDE =
  /(?:(\p{L}[\p{L}-]*|\d)(\s*[:(=–—-]?\s*|\s+(?:out )?of\s+))?(?<![\p{L}\d.,])(\d[\d.,]*\d|\d)(?![\p{L}\d])((?:\s+[\p{L}-]+){0,3})/gu;

function counts(text: string, number: number, { asked, nouns }: Stems): boolean {
  const spelled = (text.match(/\p{L}+(?=\s)/gu) ?? []).filter((word) => numbersIn(word).includes(number));
  const digits = spelled.reduce((rest, word) => rest.replaceAll(word, String(number)), text);
  return [...digits.matchAll(BESIDE)].some(([, before = "", between = "", written = "", after = ""]) => {
    if (!numbersIn(written).includes(number)) return false;
    if (/^\d$/.test(before)) return /\bof\b/.test(between);
    const behind = stemsIn(after);
    if (behind.some((stem) => asked.has(stem) || ANY_ROWS.test(stem))) return true;
    const stem = stemNoun(before);
    if (ANY_ROWS.test(stem)) return stem !== "page";
    // "Invoice 3" is the name of one of them.
    const isLabel = before.toLowerCase() !== stem || /[:(=–—-]/.test(between) || !nouns.has(stem);
    return asked.has(stem) && isLabel;
  });
}
