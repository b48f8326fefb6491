import { type Amount, isSameCurrency, parseAmount, parseAmounts } from "../grounding/amounts.ts";
import { dropConverted, withNeighbours } from "../grounding/calculations.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim, Fact } from "../grounding/claim.ts";
import { type DayOrder, findDayOrders } from "../grounding/dates.ts";
import { withoutQuotedText } from "../grounding/english-words.ts";
import { quoteStatesFact } from "../grounding/quoted-values.ts";
import { findQuote } from "../grounding/quotes.ts";
import { dropStatedDays, dropStatedTimes, dropToday, findUnstatedNumber } from "../grounding/stated-numbers.ts";
import { findUnit } from "../grounding/units.ts";
import { type Case, findFreshPage } from "./case.ts";
import type { Check } from "./check.ts";
import { type PageLine, toPageLines } from "./page-lines.ts";

const ABOUT = "The answer matches its facts";
const UNITS =
  /^(?:m?g|kg|t|lbs?|oz|[mc]?l|[kmc]?m|mi|ft|in|h|hrs?|hours?|min|minutes?|days?|weeks?|months?|years?|s|seconds?|%|°[cf]?|[kmgt]i?b|cents?|pence|pieces?|packs?|px|k?wh?|[km]?hz)$/;
const MINOR = /^(?:cents?|pence|ct)$/;
/** Words that mean minus. */
const DOWN =
  /\b(?:minus|below|negative|fell|fall|dropp?ed|drop|down|decreas\w*|reduc\w*|loss|lost|debit\w*|ow(?:e|es|ed)|lower|discount|off|refund\w*|paid|pay|payments?|spen[dt]|charged?|withdr\w+|sent|transferred|fees?|deficit|overdrawn)\b/i;
const NUMBER_ASKED =
  /\bhow (?:many|much)\b|\bwhat (?:is|are) (?:the|its|my|their) (?:[a-z]+ )?(?:price|costs?|total|balance)\b|\bwhat does .{1,60} cost\b/i;
const NUMBER_SAID =
  /\d|\b(?:no|none|nothing|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|free)\b/i;
const DAY_ASKED =
  /(?:^|[.?!]\s+)when (?:is|was|will|does|did|do|are|were|can|has|have|must)\b|\b(?:what|which) (?:date|day)\b/i;
const DAY_SAID =
  /\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:today|tomorrow|yesterday|never|noon|midnight)\b/i;

/** The numbers in the answer come from the facts and the data, with their currency, unit and sign, or are calculated from them. */
export function checkAnswer({ claim, task, captured }: Case): Check[] {
  const stated = textsOf(claim);
  const labelled = claim.facts.flatMap(({ quote, url }) =>
    captured.list().flatMap((page) => (isSamePage(page.url, url) ? withNeighbours(quote ?? "", page.root) : [])),
  );
  const answer = dropConverted(dropStatedDays(dropStatedTimes(claim.answer, stated), stated), [...stated, ...labelled]);
  const known = [task.prompt, String(task.now.getUTCFullYear()), ...stated];
  const number = findUnstatedNumber(dropToday(answer, task.now), known, stated, countsOf(claim), task.prompt);
  if (number !== null) return [contradict(`No page that was read states ${number}.`)];
  // A quote as a whole may be minus: "(150.00)".
  const seen = stated.flatMap((quote) => [
    ...parseAmounts(quote),
    ...[parseAmount(quote)].filter((one) => one !== null),
  ]);
  const distorted = parseAmounts(answer).map((amount) => findDistortion(amount, seen, answer));
  const distortion = distorted.find((each) => each !== null);
  if (distortion != null) return [contradict(distortion)];
  const missing = claim.extraction === null ? findMissing(withoutQuotedText(task.prompt), claim.answer) : null;
  return missing === null ? [] : [contradict(missing)];
}

function contradict(evidence: string): Check {
  return { about: ABOUT, verdict: "contradicted", evidence };
}

/** Texts from pages, not the planner's own words. */
function textsOf({ facts, extraction, conditions }: Claim): string[] {
  return [
    ...facts.map(({ quote }) => quote ?? ""),
    ...(extraction?.leaves.map(({ quote }) => quote ?? "") ?? []),
    ...conditions.map((condition) =>
      condition.kind === "text" ? condition.text : "value" in condition ? condition.value : "",
    ),
  ];
}

function countsOf({ facts, extraction }: Claim): number[] {
  return [facts.length, ...lengthsIn(extraction?.data)];
}

function lengthsIn(data: unknown): number[] {
  if (typeof data !== "object" || data === null) return [];
  const inner = Object.values(data).flatMap(lengthsIn);
  return Array.isArray(data) ? [data.length, ...inner] : inner;
}

/** How the answer changed the sign, currency or unit of an amount; null when it did not, or the amount was calculated. */
function findDistortion(said: Amount, seen: readonly Amount[], answer: string): string | null {
  const same = seen.filter(({ value, otherValue }) => [value, otherValue].includes(said.value));
  const opposite = seen.find(({ value }) => value !== 0 && value === -said.value);
  if (same.length === 0 && opposite !== undefined && !DOWN.test(answer)) {
    return `The page says "${opposite.quote}", but the answer says "${said.quote}".`;
  }
  const [first] = same;
  if (first === undefined || same.some((each) => fits(said, each))) return null;
  return `The page says "${first.quote}", but the answer says "${said.quote}".`;
}

/** A currency or unit that one of the two leaves out is not a difference. */
function fits(said: Amount, seen: Amount): boolean {
  if (said.currency !== null && seen.currency !== null) return isSameCurrency(said.currency, seen.currency);
  if (said.currency !== null && seen.unit !== null) return !MINOR.test(seen.unit) && !UNITS.test(seen.unit);
  if (said.unit === null || seen.unit === null) return true;
  return !isUnit(said.unit) || !isUnit(seen.unit) || isSameUnit(said.unit, seen.unit);
}

function isUnit(word: string): boolean {
  return UNITS.test(word) || findUnit(word) !== null;
}

function isSameUnit(one: string, other: string): boolean {
  // "20 degrees" leaves the scale out.
  if (one === "°" || other === "°") return one.startsWith("°") && other.startsWith("°");
  const [first, second] = [findUnit(one), findUnit(other)];
  if (first !== null && second !== null) return first.dimension === second.dimension && first.factor === second.factor;
  const [a, b] = [one, other].map((unit) => LONG_UNITS.get(unit.replace(/s$/, "")) ?? unit.replace(/(?<=..)s$/, ""));
  return a === b;
}

const LONG_UNITS = new Map([
  ["hour", "h"],
  ["hr", "h"],
  ["minute", "min"],
  ["second", "s"],
]);

/** The kind of answer that the task asks for and that is missing. */
function findMissing(prompt: string, answer: string): string | null {
  if (NUMBER_ASKED.test(prompt) && !NUMBER_SAID.test(answer))
    return "The task asks for a number, and the answer has none.";
  return DAY_ASKED.test(prompt) && !DAY_SAID.test(answer) ? "The task asks for a time, and the answer has none." : null;
}

/** The value of a fact can be read from its quote, and the quote is not cut out of a longer number or word. */
export function checkFactValues({ claim, captured, freshPages }: Case): Check[] {
  const pages = [...captured.list(), ...freshPages.flatMap(({ page }) => (page === null ? [] : [page]))];
  const orders = new Map<string, ReadonlySet<DayOrder>>();
  const ordersAt = (url: string) => {
    const known =
      orders.get(url) ?? findDayOrders(pages.filter((page) => isSamePage(page.url, url)).map(({ text }) => text));
    orders.set(url, known);
    return known;
  };
  return claim.facts.flatMap(({ label, quote, value, url }): Check[] => {
    if (quote === null || value === null) return [];
    const about = `The value for "${label.slice(0, 80)}" is what the page says`;
    const said = `"${quote.slice(0, 100)}"`;
    if (!quoteStatesFact(value, quote, ordersAt(url))) {
      const evidence = `${said} does not say ${JSON.stringify(value).slice(0, 80)}.`;
      return [{ about, verdict: "contradicted", evidence }];
    }
    if (!pages.some(({ text, folded }) => findQuote(text, quote, folded) !== null)) {
      return [{ about, verdict: "contradicted", evidence: `${said} is only a part of what the page says.` }];
    }
    return [];
  });
}

/** Lines that change by themselves. */
const MOVING = /\bago\b|\d{1,2}:\d{2}|\b(?:now|today|online|views?|visitors?)\b/i;

/**
 * What was read is still true: if a fresh browser shows the same line with another number, the run has read an old one. A page
 * whose state a step has changed, for example with a filter, is not the page that its URL shows.
 */
export function checkStaleness(context: Case): Check[] {
  return context.claim.facts.flatMap((fact): Check[] => {
    const now = isPageOfUrl(fact.url, context) ? findSuccessor(fact, context) : null;
    if (now === null) return [];
    const evidence = `The run read "${(fact.quote ?? "").slice(0, 80)}"; a fresh browser shows "${now.slice(0, 120)}".`;
    return [
      { about: `What was read for "${fact.label.slice(0, 80)}" is still true`, verdict: "contradicted", evidence },
    ];
  });
}

/** Nothing on the page was changed; or the change has been sent, so that the URL shows it. */
function isPageOfUrl(url: string, { steps, live, writes }: Case): boolean {
  const isTouched = steps.some(
    (step) => step.effect === "mutate" && isSamePage(step.url, url) && isSamePage(live.url, url),
  );
  return !isTouched || writes.some(({ write, cause }) => write.isFirstParty && cause?.effect === "mutate");
}

/** The line that has replaced the one that was read. */
function findSuccessor({ quote, url }: Fact, { freshPages, captured, live }: Case): string | null {
  const fresh = findFreshPage(freshPages, url);
  if (quote === null || !/\d/.test(quote) || fresh?.page == null || fresh.note !== null) return null;
  if (contains(fresh.page.text, quote)) return null;
  const shown = toPageLines(live.root).map(({ text }) => text);
  const isStillShown = isSamePage(live.url, url) && contains(shown.join(" "), quote);
  const seen = captured.list().find((page) => isSamePage(page.url, url) && contains(page.text, quote));
  const line = seen === undefined ? undefined : findLine(seen, quote);
  if (line === undefined || MOVING.test(line.text)) return null;
  if (isStillShown && !hasOneState(seen, captured.list())) return null;
  return toPageLines(fresh.page.root).find((other) => isSuccessor(other, line))?.text ?? null;
}

/** The same line with another number. */
function isSuccessor(other: PageLine, line: PageLine): boolean {
  return other.text !== line.text && other.isHeading === line.isHeading && mask(other.text) === mask(line.text);
}

/** The page has not changed since it was opened. */
function hasOneState(page: CapturedPage | undefined, pages: readonly CapturedPage[]): boolean {
  return page !== undefined && pages.filter((other) => isSamePage(other.url, page.url)).length === 1;
}

/** A line with words: a number alone could be any number. */
function findLine({ root }: CapturedPage, quote: string): PageLine | undefined {
  return toPageLines(root).find(({ text }) => contains(text, quote) && /\p{L}{2}/u.test(text));
}

function mask(line: string): string {
  return line.replace(/\d+(?:[.,]\d+)*/g, "0");
}
