import { labelOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { type Amount, isSameCurrency, parseAmounts } from "./amounts.ts";
import { readText } from "./page-text.ts";
import { findUnit, findWantedUnit, type Unit } from "./units.ts";

/**
 * A text without the quantities that one of the others states in another unit: "30 min" where a page says "1,800 s". Wrong
 * conversions stay, and so does what the others do not state at all.
 */
export function dropConverted(text: string, others: readonly string[]): string {
  const read = (other: string) => [...joinCompounds(findQuantities(other), other), ...findFractions(other)];
  const stated = [...others.flatMap(read), ...sharesOf(others)];
  // An answer has to be clear: of two ways to read its digits, the first one counts.
  const all = findQuantities(text).filter(({ start }, index, each) => each[index - 1]?.start !== start);
  return joinCompounds(all, text).reduceRight((left, said) => {
    if (!stated.some((each) => isConversion(said, each))) return left;
    return `${left.slice(0, said.start)} ${left.slice(said.end)}`;
  }, text);
}

/** A number with its unit. */
interface Quantity {
  /** In the base of its dimension; data has two, one for each meaning of "kilo". */
  readonly values: readonly number[];
  readonly unit: Unit;
  readonly currency: string | null;
  /** Half of its last digit, in the base of its dimension. */
  readonly precision: number;
  readonly start: number;
  readonly end: number;
  readonly isApproximate: boolean;
}

/** Every quantity of a text. A bare number takes the unit that the text before it names: "Timeout (seconds): 1800". */
function findQuantities(written: string): Quantity[] {
  // "30-minute": a hyphen before a unit is a space.
  const text = written.replace(/(?<=\d)-(?=\p{L})/gu, " ");
  let from = 0;
  const amounts = parseAmounts(text).flatMap((amount) => {
    const start = text.indexOf(amount.quote, from);
    from = start + amount.quote.length;
    const unit = start === -1 ? null : unitOf(amount, text.slice(0, start));
    return unit === null ? [] : toQuantities(amount, unit, start, text);
  });
  return [...amounts, ...findDurations(text)].toSorted((one, other) => one.start - other.start);
}

const MONEY: Unit = { dimension: "money", factor: 1 };
const RATIO: Unit = { dimension: "ratio", factor: 1 };

function unitOf({ unit, currency, value }: Amount, before: string): Unit | null {
  if (currency !== null) return MONEY;
  const own = unit === null ? null : findUnit(unit);
  if (own !== null) return own;
  const named = unit === null ? findWantedUnit(before.replace(/[\s:=–-]+$/, "")) : null;
  if (named?.kind === "unit") return named.unit;
  return unit === null && Math.abs(value) < 1 && value !== 0 ? RATIO : null;
}

const APPROXIMATE = /(?:\b(?:about|approximately|approx\.?|around|roughly|nearly|almost|some|circa|ca\.)|[~≈])\s*$/i;

function toQuantities(amount: Amount, unit: Unit, start: number, text: string): Quantity[] {
  const { value, otherValue, currency, quote } = amount;
  const decimals = /[.,](\d+)/.exec(quote)?.[1]?.length ?? 0;
  const isApproximate = APPROXIMATE.test(text.slice(Math.max(0, start - 20), start));
  const readings = [{ value, decimals }, ...(otherValue === null ? [] : [{ value: otherValue, decimals: 0 }])];
  return readings.map((reading) => ({
    values: toBase(reading.value, unit),
    unit,
    currency,
    precision: 0.5 * 10 ** -reading.decimals * unit.factor,
    start,
    end: start + quote.length,
    isApproximate,
  }));
}

/** "KB" is 1000 bytes for some and 1024 for others; "KiB" is always 1024. */
function toBase(value: number, { dimension, factor }: Unit): number[] {
  if (dimension !== "data") return [value * factor];
  const power = Math.round(Math.log10(factor) / 3);
  return factor === 1_000 ** power ? [value * factor, value * 1_024 ** power] : [value * factor, value * factor];
}

const DURATION = /(?<![\d:.])(\d{1,3}):([0-5]\d):([0-5]\d)(?![\d:.])/g;
const SECOND: Unit = { dimension: "time", factor: 1 };

/** "1:30:00" */
function findDurations(text: string): Quantity[] {
  return [...text.matchAll(DURATION)].map((match) => {
    const [, hours, minutes, seconds] = match.map(Number);
    const value = (hours ?? 0) * 3_600 + (minutes ?? 0) * 60 + (seconds ?? 0);
    const [start, end] = [match.index, match.index + match[0].length];
    return { values: [value], unit: SECOND, currency: null, precision: 0.5, start, end, isApproximate: false };
  });
}

const BETWEEN = /^\s*(?:,|and|&)?\s*$/i;

/** "1 h 30 min" is one quantity: parts of one dimension, each in a smaller unit than the one before. */
function joinCompounds(quantities: readonly Quantity[], text: string): Quantity[] {
  const joined: Quantity[] = [];
  for (const next of quantities) {
    const last = joined.at(-1);
    const part = last === undefined ? next : asMinutes(next, last, text);
    const isPart =
      last !== undefined &&
      part.unit.dimension === last.unit.dimension &&
      part.unit.factor < last.unit.factor &&
      part.start >= last.end &&
      BETWEEN.test(text.slice(last.end, part.start));
    if (!isPart) {
      joined.push(next);
      continue;
    }
    const values = last.values.map((value, index) => value + (part.values[index] ?? 0));
    joined[joined.length - 1] = { ...part, values, start: last.start, isApproximate: last.isApproximate };
  }
  return joined;
}

const HOUR = 3_600;

/** Behind hours, "m" is minutes. */
function asMinutes(next: Quantity, last: Quantity, text: string): Quantity {
  const isMinute =
    last.unit.dimension === "time" && last.unit.factor === HOUR && /\d\s?m$/.test(text.slice(0, next.end));
  if (!isMinute) return next;
  return { ...next, unit: { ...SECOND, factor: 60 }, values: next.values.map((value) => value * 60), precision: 30 };
}

const FRACTION = /(?<![\d/.,])(\d{1,7})\s?(?:\/|of|out of)\s?(\d{1,7})(?![\d/.,]*\d)/gi;

/** "3 of 4" and "3/4" are also a share, 75 %. */
function findFractions(text: string): Quantity[] {
  return [...text.matchAll(FRACTION)].flatMap(([, part, whole]) => toShare(Number(part), Number(whole)));
}

function toShare(part: number, whole: number): Quantity[] {
  if (whole === 0) return [];
  return [
    { values: [part / whole], unit: RATIO, currency: null, precision: 0, start: 0, end: 0, isApproximate: false },
  ];
}

/** Each is divided by each other one. */
const MAX_FACTS = 12;

/** 45 in one fact and 60 in another: 75 %. */
function sharesOf(facts: readonly string[]): Quantity[] {
  const firsts = facts.flatMap((fact) => parseAmounts(fact).slice(0, 1)).filter(({ unit }) => unit !== "%");
  if (firsts.length > MAX_FACTS) return [];
  return firsts.flatMap((part) =>
    firsts
      .filter((whole) => whole !== part && isAlike(part, whole))
      .flatMap((whole) => toShare(part.value, whole.value)),
  );
}

function isAlike(one: Amount, other: Amount): boolean {
  return one.currency === other.currency;
}

/** Rounded as it is written, and not by more than this. */
const MAX_ERROR = 0.005;
const MAX_APPROXIMATE_ERROR = 0.05;

function isConversion(said: Quantity, stated: Quantity): boolean {
  if (said.unit.dimension !== stated.unit.dimension) return false;
  // Money is converted between cents and their currency, never between currencies.
  if (said.currency !== null && stated.currency !== null && !isSameCurrency(said.currency, stated.currency))
    return false;
  const limit = said.isApproximate ? MAX_APPROXIMATE_ERROR : MAX_ERROR;
  return said.values.some((value, index) => {
    const expected = stated.values[index] ?? Number.NaN;
    const error = Math.abs(value - expected);
    const noise = Math.abs(expected) * 1e-9;
    return error <= noise || (error <= said.precision + noise && error <= Math.abs(expected) * limit);
  });
}

/**
 * A bare number with the texts beside it on the page that may name its unit: the label of a field, the header of a column, the
 * text before or after it.
 */
export function withNeighbours(quote: string, root: ObservedNode): string[] {
  const wanted = collapseWhitespace(quote);
  if (!/^\d[\d.,]*$/.test(wanted)) return [];
  return [...walk(root)].flatMap(({ node, ancestors }) => {
    if (node.value !== null && collapseWhitespace(node.value) === wanted) {
      return [`${labelOf(node)} ${wanted}`, ...besides(node, ancestors, wanted)];
    }
    return node.value === null && readText(node) === wanted ? besides(node, ancestors, wanted) : [];
  });
}

function besides(node: ObservedNode, ancestors: readonly ObservedNode[], quote: string): string[] {
  const parent = ancestors.at(-1);
  const at = parent?.children.indexOf(node) ?? -1;
  if (parent === undefined || at === -1) return [];
  const [before, after] = [parent.children[at - 1], parent.children[at + 1]].map((each) =>
    each === undefined ? "" : readText(each),
  );
  const table = ancestors.findLast(({ role }) => role === "table" || role === "grid" || role === "treegrid");
  const headers = table === undefined ? [] : [...walk(table)].filter((visit) => visit.node.role === "columnheader");
  const header = parent.role === "row" ? headers[at]?.node : undefined;
  return [
    ...(header === undefined ? [] : [`${readText(header)} ${quote}`]),
    ...(before ? [`${before} ${quote}`] : []),
    ...(after && findUnit(after) !== null ? [`${quote} ${after}`] : []),
  ];
}
