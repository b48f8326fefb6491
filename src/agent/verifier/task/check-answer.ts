import type { Check } from "../../errand.ts";
import { type Amount, parseAmounts } from "../../extraction/values/amount.ts";
import { isSameCurrency } from "../../extraction/values/currency.ts";
import { dropToday } from "../../planner/model/drop-today.ts";
import { findUnstatedNumber } from "../../planner/model/find-unstated-number.ts";
import type { Claim } from "../../planner/planner.ts";
import type { Case } from "./case.ts";
import { dropStatedTimes } from "./clock-times.ts";

const ABOUT = "The answer says what its facts say";
const UNITS =
  /^(?:m?g|kg|t|lbs?|oz|[mc]?l|[kmc]?m|mi|ft|in|h|hrs?|hours?|min|minutes?|days?|weeks?|months?|years?|s|seconds?|%|°[cf]?|[kmgt]i?b|cents?|pence|pieces?|packs?|px|k?wh?|[km]?hz)$/;
const MINOR = /^(?:cents?|pence|ct)$/;
/** Words that say minus. */
const DOWN =
  /\b(?:minus|below|negative|fell|fall|dropp?ed|drop|down|decreas\w*|reduc\w*|loss|lost|debit\w*|ow(?:e|es|ed)|lower|discount|off|refund\w*|paid|pay|payments?|spen[dt]|charged?|withdr\w+|sent|transferred|fees?|deficit)\b/i;
const NUMBER_ASKED =
  /\bhow (?:many|much)\b|\bwhat (?:is|are) (?:the|its|my|their) (?:[a-z]+ )?(?:price|costs?|total|balance)\b|\bwhat does .{1,60} cost\b/i;
const NUMBER_SAID =
  /\d|\b(?:no|none|nothing|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|free)\b/i;
const DAY_ASKED =
  /(?:^|[.?!]\s+)when (?:is|was|will|does|did|do|are|were|can|has|have|must)\b|\b(?:what|which) (?:date|day)\b/i;
const DAY_SAID =
  /\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:today|tomorrow|yesterday|never|noon|midnight)\b/i;

/** What the answer says in words rests on facts and data: their numbers, with their currency, unit and sign. */
export function checkAnswer({ claim, task }: Case): Check[] {
  const stated = textsOf(claim);
  const answer = dropStatedTimes(claim.answer, stated);
  const told = [task.prompt, String(task.now.getUTCFullYear()), ...stated];
  const number = findUnstatedNumber(dropToday(answer, task.now), told, stated, countsOf(claim));
  if (number !== null) return [against(`Nothing that was read says ${number}.`)];
  const twisted = parseAmounts(answer).map((amount) => findTwist(amount, stated.flatMap(parseAmounts), answer));
  const twist = twisted.find((each) => each !== null);
  if (twist != null) return [against(twist)];
  const missing = claim.extraction === null ? findMissing(task.prompt, claim.answer) : null;
  return missing === null ? [] : [against(missing)];
}

function against(evidence: string): Check {
  return { about: ABOUT, verdict: "contradicted", evidence };
}

/** Texts that were seen, and not only said by the planner. */
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

/** What became of an amount on its way into the answer; null when nothing did, or when it was calculated. */
function findTwist(said: Amount, seen: readonly Amount[], answer: string): string | null {
  const same = seen.filter(({ value, otherValue }) => [value, otherValue].includes(said.value));
  const opposite = seen.find(({ value }) => value !== 0 && value === -said.value);
  if (same.length === 0 && opposite !== undefined && !DOWN.test(answer)) {
    return `The page says "${opposite.quote}" and the answer "${said.quote}".`;
  }
  const [first] = same;
  if (first === undefined || same.some((each) => fits(said, each))) return null;
  return `The page says "${first.quote}" and the answer "${said.quote}".`;
}

/** What one of the two does not say is no difference. */
function fits(said: Amount, seen: Amount): boolean {
  if (said.currency !== null && seen.currency !== null) return isSameCurrency(said.currency, seen.currency);
  if (said.currency !== null && seen.unit !== null) return !MINOR.test(seen.unit) && !UNITS.test(seen.unit);
  if (said.unit === null || seen.unit === null) return true;
  return !UNITS.test(said.unit) || !UNITS.test(seen.unit) || isSameUnit(said.unit, seen.unit);
}

function isSameUnit(one: string, other: string): boolean {
  const [a, b] = [one, other].map((unit) => LONG_UNITS.get(unit.replace(/s$/, "")) ?? unit.replace(/(?<=..)s$/, ""));
  return a === b;
}

const LONG_UNITS = new Map([
  ["hour", "h"],
  ["hr", "h"],
  ["minute", "min"],
  ["second", "s"],
]);

/** What kind of answer was asked for and is not there. */
function findMissing(prompt: string, answer: string): string | null {
  if (NUMBER_ASKED.test(prompt) && !NUMBER_SAID.test(answer))
    return "The task asks for a number, and the answer has none.";
  return DAY_ASKED.test(prompt) && !DAY_SAID.test(answer) ? "The task asks for a time, and the answer has none." : null;
}
