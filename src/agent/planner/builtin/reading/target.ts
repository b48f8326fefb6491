import { type Kind, takeKindPrefix, takeKindSuffix } from "../english/kinds.ts";
import { type Ordinal, takeOrdinal } from "../english/ordinals.ts";
import { isQuotation, QUOTE, type Quotes } from "../english/quotes.ts";
import { startsWithVerb } from "../english/verbs.ts";

/** Something on a page as the task describes it. English leaves open where a label ends, so there are several readings. */
export interface Target {
  /** The words of the task. */
  readonly said: string;
  /** Literal ones first. */
  readonly readings: readonly Reading[];
}

export interface Reading {
  /** Null: any of its kind. */
  readonly label: string | null;
  readonly isQuoted: boolean;
  readonly kind: Kind | null;
  readonly ordinal: Ordinal | null;
  /** What stands around or beside it. */
  readonly within: string | null;
  /** "a link", "any of them": the first will do. */
  readonly isAny?: boolean;
}

export function readTarget(phrase: string, quotes: Quotes): Target {
  const isAny = /^(?:on\s+)?(?:an?|any|some|one of the)\s/i.test(phrase.trim());
  const text = tidy(phrase);
  const readings = [...readPlain(text, quotes), ...readInPlaces(text, quotes), ...readQuotation(text, quotes)];
  const all = dropRepeated([...readings, ...readings.flatMap(asKind)]);
  return { said: quotes.reveal(text), readings: isAny ? all.map((reading) => ({ ...reading, isAny })) : all };
}

const NAMES_CONTROL: ReadonlySet<Kind> = new Set([
  "button",
  "link",
  "tab",
  "checkbox",
  "radio",
  "switch",
  "textbox",
  "textarea",
  "password",
  "list",
  "slider",
  "spinner",
]);

/** A label that is the name of a kind may mean just that: a "checkbox" widget. */
function asKind(reading: Reading): Reading[] {
  const kind = reading.label === null ? null : takeKindSuffix(reading.label);
  return kind === null || kind.rest !== "" || !NAMES_CONTROL.has(kind.kind)
    ? []
    : [{ ...reading, label: null, isQuoted: false, kind: kind.kind }];
}

/** A label as it is known, or as it was said where it may be only a part of it. */
export function targetOf(label: string, { isQuoted }: { isQuoted: boolean } = { isQuoted: true }): Target {
  return { said: label, readings: [{ label, isQuoted, kind: null, ordinal: null, within: null }] };
}

/** The same thing, but looked for in this place. */
export function placeWithin(target: Target, place: string): Target {
  const placed = target.readings.map((reading) => ({ ...reading, within: reading.within ?? place }));
  return { said: `${target.said} (${place})`, readings: placed };
}

/** A label may go on after a comma, as in "No, keep it": one or two words with a capital letter, and few after them. */
const COMMA_LABEL = /^(?:\p{Lu}\S*(?: [^\s,]+)?|yes|no),(?:\s+[^\s,]+){1,5}$/u;

/** Outside quotation marks a comma and more words after it are mostly another clause, and not a part of a label. */
export function holdsClause(phrase: string): boolean {
  return /,\s+\S+\s+\S/.test(phrase) && !COMMA_LABEL.test(phrase.trim());
}

/** A place that is only known when the time comes: where the thing stands that was mentioned last. */
export const MENTIONED = "it";

export function isPronoun(target: Target): boolean {
  return /^(?:it|this|that|them|these|those|that one|this one|the same)$/i.test(target.said);
}

const ARTICLE =
  /^(?:on\s+)?(?:the|an?|my|your|its|their|his|her|this|that|these|those|any|some|one of the|each|every)\s+/i;
const POSITION =
  /\s+(?:shown |given |displayed |located |found )?(?:below|above|here|there|again|on (?:the|this) (?:page|screen|site))$/i;
const NAMED =
  /^(.*?)\s*(?:\b(?:labell?ed|named|called|titled|entitled|marked|saying|reading|that (?:says|reads)|which (?:says|reads)|with (?:the )?(?:text|label|name|title|caption|value|word|words|heading)(?: of)?|for)\b)\s*(?:as\s+)?(.+)$/i;

function tidy(phrase: string): string {
  let text = phrase.trim().replace(/^[\s,:]+|[\s.,;:!]+$/g, "");
  text = text.replace(POSITION, "");
  return text.replace(ARTICLE, "").trim();
}

/** Without a place: the literal words, and then with kind words and ordinals taken apart. */
function readPlain(text: string, quotes: Quotes, within: string | null = null): Reading[] {
  if (text === "") return [];
  const ordinal = takeOrdinal(text);
  const literal = makeReading(text, quotes, null, null, within);
  const core = readCore(tidy(ordinal?.rest ?? text), quotes, ordinal?.ordinal ?? null, within);
  return ordinal === null ? [literal, ...core] : [...core, literal];
}

function readCore(text: string, quotes: Quotes, ordinal: Ordinal | null, within: string | null): Reading[] {
  const readings: Reading[] = [];
  const named = NAMED.exec(text);
  const namedKind = named === null ? null : (takeKindSuffix(named[1] ?? "") ?? takeKindPrefix(named[1] ?? ""));
  if (named !== null && namedKind !== null && namedKind.rest === "") {
    readings.push(makeReading(tidy(named[2] ?? ""), quotes, namedKind.kind, ordinal, within));
  }
  const suffix = takeKindSuffix(text);
  if (suffix !== null && !isDeed(suffix.kind, suffix.rest))
    readings.push(makeReading(tidy(suffix.rest), quotes, suffix.kind, ordinal, within));
  const prefix = takeKindPrefix(text);
  if (prefix !== null && prefix.rest !== "")
    readings.push(makeReading(prefix.rest, quotes, prefix.kind, ordinal, within));
  if (ordinal !== null) readings.push(makeReading(text, quotes, null, ordinal, within));
  return readings;
}

/** "Send message" is no message called "Send". */
function isDeed(kind: Kind, rest: string): boolean {
  return /^(?:record|text|page|item)$/.test(kind) && !rest.includes(" ") && startsWithVerb(rest);
}

const PLACE =
  /\s+(?:in|inside|within|under|underneath|below|beneath|above|next to|beside|near|of|for|on|from|at|by|belonging to|to the (?:left|right) of|that belongs to|with)\s+/gi;

/** One reading for each word that may begin a place, the last first. */
function readInPlaces(text: string, quotes: Quotes): Reading[] {
  const cuts = [...text.matchAll(PLACE)].reverse();
  return cuts.flatMap((cut) => {
    const place = readPlace(text.slice(cut.index + cut[0].length), quotes);
    return place === "" ? [] : readPlain(tidy(text.slice(0, cut.index)), quotes, place);
  });
}

/** The last resort: what is quoted is the label, whatever the words around it say. */
function readQuotation(text: string, quotes: Quotes): Reading[] {
  const quote = new RegExp(QUOTE).exec(text)?.[0];
  if (quote === undefined || isQuotation(text)) return [];
  const around = takeKindPrefix(text) ?? takeKindSuffix(text.replace(quote, "").trim());
  return [makeReading(quote, quotes, around?.kind ?? null, takeOrdinal(text)?.ordinal ?? null, null)];
}

function readPlace(text: string, quotes: Quotes): string {
  const named = NAMED.exec(tidy(text));
  // "the dialog labeled X": the name may as well belong to the thing and not to its place.
  return quotes.reveal(
    tidy(named?.[2] !== undefined && /dialog|popup|modal/i.test(named[1] ?? "") ? (named[1] ?? "") : text),
  );
}

function makeReading(
  text: string,
  quotes: Quotes,
  kind: Kind | null,
  ordinal: Ordinal | null,
  within: string | null,
): Reading {
  const label = quotes.reveal(text).trim();
  return { label: label === "" ? null : label, isQuoted: isQuotation(text), kind, ordinal, within };
}

function dropRepeated(readings: readonly Reading[]): Reading[] {
  const seen = new Set<string>();
  return readings.filter((reading) => {
    const key = JSON.stringify(reading);
    return seen.has(key) ? false : seen.add(key);
  });
}
