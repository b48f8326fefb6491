import { type CapturedPage, contains } from "../grounding/captured-pages.ts";
import type { Claim } from "../grounding/claim.ts";
import { findDates, MONTH_NAMES, WEEKDAY_NAMES } from "../grounding/dates.ts";
import { hasNegation, onlyAsks, withoutQuotedText } from "../grounding/english-words.ts";
import {
  contentWords,
  isEnglish,
  isKnownWord,
  type KnownWords,
  splitClauses,
  toKnownWords,
} from "../grounding/prose.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";

/** What the words of an answer can rest on. */
interface Backing {
  /** The lines of the pages that the quotes are from. */
  readonly cited: readonly string[];
  /** Every line of the pages that were read. */
  readonly lines: readonly string[];
  readonly prompt: string;
  readonly known: KnownWords;
}

/**
 * The words around the numbers of an answer say what the pages say: nothing is turned into its opposite, nothing is named
 * that no page names, and no clause is about something else altogether. It only knows English, and is silent elsewhere.
 */
export function* checkProse(context: Case): Generator<void, Check[]> {
  const { claim, task } = context;
  const lines = yield* readLines(context);
  if (!isEnglish(claim.answer) || !isEnglish(lines.join(" "))) return [];
  const cited: string[] = [];
  for (const quote of quotesOf(claim)) {
    yield;
    cited.push(quote);
    for (const line of lines) if (line.length <= MAX_LINE && contains(line, quote)) cited.push(line);
  }
  yield;
  const backing = { cited, lines, prompt: task.prompt, known: toKnownWords([...lines, task.prompt, ...cited]) };
  for (const findFault of FAULTS) {
    yield;
    const fault = findFault(claim.answer, backing, task.now);
    if (fault === null) continue;
    return [{ about: "The answer says what the pages say", verdict: "contradicted", evidence: fault }];
  }
  return [];
}

const FAULTS = [findOpposite, findNegation, findStrangeName, findStrangeDay, findStrangeClause];

const MAX_LINE = 200;

function* readLines({ claim, captured, freshPages, live }: Case): Generator<void, string[]> {
  const fresh = freshPages.flatMap(({ page }) => (page === null ? [] : [page]));
  const pages: Pick<CapturedPage, "root">[] = [...captured.list(), ...fresh, live];
  const lines = new Set<string>();
  for (const { root } of pages) {
    yield;
    for (const { text } of toPageLines(root)) lines.add(text);
  }
  return [...lines.add(JSON.stringify(claim.extraction?.data ?? ""))];
}

function quotesOf({ facts, extraction, conditions }: Claim): string[] {
  return [
    ...facts.map(({ quote }) => quote ?? ""),
    ...(extraction?.leaves ?? []).slice(0, 100).map(({ quote }) => quote ?? ""),
    ...conditions.flatMap((each) => (each.kind === "text" ? [each.text] : [])),
  ].filter(Boolean);
}

/** What is not free. */
const MONEY = /[€£$¥]\s?[1-9]|[1-9][\d.,]*\s?(?:€|euros?)/i;
/** Words of which only one can be true of a thing, with what each is also called. */
const OPPOSITES: readonly (readonly RegExp[])[] = [
  [
    /(?<!\b(?:not|back|again|no longer|out of|be)\b[^.,;]{0,12})\b(?:in stock|available)\b/i,
    /\b(?:sold out|out of stock|unavailable)\b|\b(?:not|no longer)\b[^.,;]{0,12}\b(?:in stock|available)\b/i,
  ],
  [/\b(?:free(?! of)|gratis|costs? nothing|free of charge|no (?:extra )?(?:cost|charge))\b/i, MONEY],
  [/(?<!\b(?:not)\b[^.,;]{0,8})\bopen\b/i, /\bclosed\b|\bnot open\b/i],
  [
    /(?<!\bnot\b[^.,;]{0,12})\b(?:accepted|approved)\b/i,
    /\b(?:rejected|declined|refused|denied)\b|\bnot (?:been )?(?:accepted|approved)\b/i,
  ],
  [/(?<!\bnot\b[^.,;]{0,12})\b(?:allowed|permitted)\b/i, /\b(?:forbidden|prohibited)\b|\bnot (?:allowed|permitted)\b/i],
  [/(?<!\bnot\b[^.,;]{0,12})\bincluded\b/i, /\bexcluded\b|\bnot included\b/i],
  [/\b(?:up to|at most|no more than|maximum)\b/i, /\b(?:at least|no less than|minimum)\b/i],
  [
    /(?:\bper|\ba|\bevery|\beach|\/) ?day\b|\bdaily\b/i,
    /(?:\bper|\ba|\bevery|\beach|\/) ?week\b|\bweekly\b/i,
    /(?:\bper|\ba|\bevery|\beach|\/) ?month\b|\bmonthly\b/i,
    /(?:\bper|\ba|\bevery|\beach|\/) ?year\b|\b(?:yearly|annually)\b/i,
  ],
];

/** The answer says one of two opposites, and what it rests on only the other. "Yes" says what the question asks. */
function findOpposite(answer: string, backing: Backing): string | null {
  const { cited, prompt } = backing;
  const isPlain = !hasNegation(prompt);
  const said = [answer.replace(ANSWER_WORD, ""), ...(isPlain && YES.test(answer) ? [prompt] : [])];
  for (const senses of OPPOSITES) {
    const asked = isPlain && NO.test(answer) ? senses.find((each) => each.test(prompt)) : undefined;
    const denied = asked === undefined ? undefined : cited.find((text) => asked.test(text));
    if (denied !== undefined && !cited.some((text) => senses.some((each) => each !== asked && each.test(text))))
      return `The answer says no, and the page says "${denied.slice(0, 100)}".`;
    const sense = senses.find((each) => said.some((text) => each.test(text)));
    const other = sense === undefined ? undefined : findOther(sense, senses, `${answer} ${prompt}`, backing);
    if (other !== undefined) return `The page says "${other.slice(0, 100)}", and the answer says something else.`;
  }
  return null;
}

/** The words of a text that are one of two opposites. */
function findSense(text: string): RegExp | undefined {
  return OPPOSITES.flat().find((each) => each !== MONEY && each.test(text));
}

/** A line with another sense, where none has this one: of the lines that are cited, or else of all. */
function findOther(
  sense: RegExp,
  senses: readonly RegExp[],
  said: string,
  { cited, lines }: Backing,
): string | undefined {
  const others = senses.filter((each) => each !== sense);
  const isCited = cited.some((text) => senses.some((each) => each.test(text)));
  if ((isCited ? cited : lines).some((text) => sense.test(text))) return undefined;
  const known = toKnownWords([said]);
  // What is not cited must be about nothing else: "Sold out", but not "Closed on Mondays".
  const isAbout = (text: string) =>
    contentWords(senses.reduce((left, each) => left.replace(each, ""), text)).every((word) => isKnownWord(word, known));
  return (isCited ? cited : lines.filter(isAbout)).find((text) => others.some((each) => each.test(text)));
}

const YES = /^\s*yes\b/i;
const NO = /^\s*no\b(?! [a-z])/i;
/** At the start it answers the question, and negates nothing. */
const ANSWER_WORD = /^\s*(?:yes|no)\b[\s,.:–—-]*(?=$|\S)/i;
const NEGATED = /\b(?:not|never|no|none|nothing|nobody|cannot|without|neither|nor)\b|n['’]t\b|(?<![\d.,])0 [a-z]/i;

/** A sentence of the page with "not" put in or left out. */
function findNegation(answer: string, { cited, lines, prompt }: Backing): string | null {
  const isQuestion = onlyAsks(withoutQuotedText(prompt));
  const isYesNo = (YES.test(answer) || NO.test(answer)) && !hasNegation(prompt);
  const clauses = splitClauses(answer.replace(ANSWER_WORD, "")).map((text) => ({
    text,
    isNegated: NEGATED.test(text),
  }));
  // "Yes" and "no" repeat the question.
  const said = isYesNo ? [...clauses, { text: prompt, isNegated: NO.test(answer) }] : clauses;
  for (const clause of said) {
    const alike = (texts: readonly string[]) => texts.filter((line) => isSameStatement(line, clause.text, prompt));
    const about = alike(cited.filter(isStatement));
    // "The message was sent." and "No message of the day" only share a word.
    const others = isQuestion ? lines.filter((line) => line.length <= MAX_STATEMENT && NEGATED.test(line)) : [];
    const found = about.length > 0 ? about : alike(others);
    const [contrary] = found;
    if (contrary !== undefined && found.every((line) => NEGATED.test(line) !== clause.isNegated))
      return `The page says "${contrary.slice(0, 100)}", and the answer says the opposite.`;
  }
  return null;
}

const MAX_STATEMENT = 80;

/** Names and headings deny and state nothing. */
function isStatement(line: string): boolean {
  return NEGATED.test(line) || /\b(?:is|are|was|were|be|been|can|will|has|have|had|may|must|does|do|did)\b/i.test(line);
}

/** Both are about the same, with the same words and numbers, whether or not one of them is negated. */
function isSameStatement(line: string, clause: string, prompt: string): boolean {
  const [words, lineWords] = [contentWords(clause), contentWords(line.replace(LABEL, ""))];
  if (findSense(clause) !== undefined || findSense(line) !== undefined || words.length === 0 || lineWords.length === 0)
    return false;
  const [known, asked, said] = [[line], [prompt], [clause, prompt]].map(toKnownWords);
  if (known === undefined || asked === undefined || said === undefined) return false;
  const numbers = line.match(/\d+/g) ?? [];
  return (
    words.some((word) => isKnownWord(word, known)) &&
    words.every((word) => isKnownWord(word, known) || isKnownWord(word, asked)) &&
    lineWords.every((word) => isKnownWord(word, said)) &&
    numbers.every((number) => clause.includes(number) || prompt.includes(number))
  );
}

const LABEL = /^[^:]{1,30}:\s/;

const NAME =
  /(?<![.!?:]\s|^|\n|["“(]\s?|[-•*]\s)\b[A-Z][\p{Ll}’']{2,}(?:[ -][A-Z][\p{Ll}’']+)*|\b[A-Z]\p{Ll}{2,} [A-Z]\p{Ll}{2,}\b/gu;
const NO_NAME =
  /^(?:Euros?|Dollars?|Yes|No|Total|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August|September|October|November|December|English|I)$/;

/** A name that is on no page and not in the task. */
function findStrangeName(answer: string, { known }: Backing): string | null {
  const names = [...answer.matchAll(NAME)].flatMap(([name]) => name.split(/[ -]/));
  const strange = names.find((word) => !NO_NAME.test(word) && !isKnownWord(word.toLowerCase(), known));
  return strange === undefined ? null : `No page that was read names "${strange.slice(0, 60)}".`;
}

const MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December";
const DATED_MONTH = new RegExp(`\\d(?:st|nd|rd|th)?(?: of)? (${MONTHS})\\b|\\b(${MONTHS}) \\d`, "gi");
const WEEKDAY = /\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b/gi;

/** A month or a day of the week that neither the pages nor the dates on them have. */
function findStrangeDay(answer: string, { cited, lines, prompt, known }: Backing, now: Date): string | null {
  const months = [...answer.matchAll(DATED_MONTH)].map(([, one, other]) => one ?? other ?? "");
  const days = [...answer.matchAll(WEEKDAY)].map(([day]) => day.replace(/s$/, ""));
  if (months.length + days.length === 0) return null;
  const dates = [...new Set([now.toISOString().slice(0, 10), ...[...cited, ...lines, prompt].flatMap(daysIn)])];
  const writtenMonths = new Set(dates.map((day) => MONTH_NAMES[new Date(day).getUTCMonth()]));
  const weekdays = new Set(dates.map((day) => WEEKDAY_NAMES[new Date(day).getUTCDay()]));
  const month = months.find((each) => !writtenMonths.has(capitalize(each)) && !isKnownWord(each.toLowerCase(), known));
  const day = days.find((each) => !weekdays.has(capitalize(each)) && !isKnownWord(each.toLowerCase(), known));
  const strange = month ?? day;
  return strange === undefined ? null : `No page that was read says "${strange}".`;
}

function daysIn(text: string): string[] {
  return [...findDates(text), ...findDates(text, "dmy"), ...findDates(text, "mdy")].map(({ day }) => day);
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase();
}

/** So many words of a clause must be unknown, and none known, before it is about something else. */
const MIN_STRANGE = 2;
/** A line of a list names something that the page has. */
const BULLET = /^(?:[-*•–]|\d{1,3}[.)])\s/;

/** A clause of which no word is on a page or in the task: "It comes with a guarantee", "Delivery is free". */
function findStrangeClause(answer: string, { known, lines }: Backing): string | null {
  const strange = splitClauses(answer.replace(ANSWER_WORD, "")).find((clause) => {
    const sense = findSense(clause);
    const words = contentWords(sense === undefined ? clause : clause.replace(sense, ""));
    const isSaid = sense !== undefined && lines.some((line) => sense.test(line));
    const enough = BULLET.test(clause) || sense !== undefined ? 1 : MIN_STRANGE;
    return !isSaid && words.length >= enough && !words.some((word) => isKnownWord(word, known));
  });
  return strange === undefined ? null : `Nothing on the pages is about "${strange.slice(0, 100)}".`;
}
