import type { ObservedNode } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import { MONTH_NAMES } from "../grounding/dates.ts";
import { type Delivery, findDeliveries } from "./deliveries.ts";
import { isAmong, toTokens } from "./differs.ts";
import type { Entry } from "./entries.ts";
import { isSameParty } from "./parties.ts";

const PART =
  /\b(?:street|addr(?:ess)?(?: ?line)?|road|house|city|town|post(?:al)? ?code|postcode|zip|stra(?:ß|ss)e|hausnummer|plz|postleitzahl|ort|stadt|rue|adresse|ville|calle|dirección|ciudad|indirizzo|citt[àa]|straat|plaats)\b|^(?:(?:shipping|billing) )?(?:street-address|address-line\d|address-level2|postal-code)$/iu;
const NO_PART = /e-?mail|\b(?:web|url|ip|mac|wallet|country|state)\b/i;

/** The page says where it goes, and something that was entered is not in there, but something else of its kind is. */
export function findOtherAddress(root: ObservedNode, entries: readonly Entry[]): string | null {
  const parts = entries.filter((entry) => isPart(entry) && isSameParty(entry.party, "receiver"));
  if (parts.length === 0) return null;
  const all = findDeliveries(root);
  // Beside the address that was entered, the page may list others.
  const own = all.filter((delivery) => parts.some(({ value }) => isIn(value, delivery)));
  const deliveries = own.length > 0 ? own : all;
  const held = parts.flatMap(({ value, held: others }) => [value, ...others.values()]).flatMap(toTokens);
  for (const { value } of parts) {
    const other = deliveries.find((delivery) => isElsewhere(delivery, value, held));
    if (other === undefined || deliveries.some((delivery) => isIn(value, delivery))) continue;
    const said = `${other.label.trim()}: ${other.lines.join(", ")}`;
    return `The page says "${shorten(said)}", and "${shorten(value)}" was entered.`;
  }
  return null;
}

function isPart({ label, autocomplete, options }: Entry): boolean {
  const isNamed = PART.test(label) || PART.test(autocomplete);
  return isNamed && options.length === 0 && !NO_PART.test(label);
}

/** Its numbers, and at least one of its words. */
function isIn(value: string, { lines }: Delivery): boolean {
  const text = lines.join("\n");
  // "SW1A 1AA" is also written "SW1A1AA".
  if (toLetters(text).includes(toLetters(value))) return true;
  const [own, shown] = [toTokens(value), toTokens(text)];
  const words = own.filter((token) => isWord(token) && !isKind(token));
  const hasNumbers = own.filter(isNumber).every((number) => isAmong(number, shown));
  return hasNumbers && (words.length === 0 || words.some((word) => isAmong(word, shown.filter(isWord))));
}

const MIN_WORD = 3;

function isWord(token: string): boolean {
  return !isNumber(token) && token.length >= MIN_WORD;
}

function isNumber(token: string): boolean {
  return /^\d/.test(token);
}

/** Words that are in most addresses. */
const KINDS: ReadonlySet<string> = new Set(
  "street road avenue lane drive court place square the str strasse rue calle via".split(" "),
);

function isKind(word: string): boolean {
  return KINDS.has(word);
}

function toLetters(text: string): string {
  return foldVisible(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

const MONTH = MONTH_NAMES.map((name) => name.slice(0, 3)).join("|");
/** Numbers that belong to no address: dates, times, prices, phones, how many there are, and the steps of a checkout. */
const NO_ADDRESS = [
  /\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d{2}/g,
  new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th|\\.)? (?:${MONTH})\\p{L}*|\\b(?:${MONTH})\\p{L}* \\d{1,2}\\b`, "giu"),
  /[€£$¥]\s?[\d.,]+|[\d.,]+\s?(?:[€£$¥]|EUR|USD|GBP|CHF)/g,
  /(?:\b(?:tel|phone|fon|mobile)\b\D{0,10}|\+)\d[\d ()/-]{4,}|\b0\d{2,}[\d /-]{5,}/giu,
  /\b(?:over|more than|up to|within) \d+/gi,
  /\d+(?:\s?[-–]\s?\d+)? ?(?:working |business )?(?:items?|days?|weeks?|hours?|h|min|pcs|pieces?|products?|articles?|kg|km)\b/gi,
  /^\d\W*(?:payment|review|confirm\w*|summary|shipping|delivery|methods?|options?|order|cart|done|complete|place)(?:\W|$)/gim,
];

/** Whether it has another house or town: a number that nothing in the form held, or the same one beside other words. */
function isElsewhere({ lines }: Delivery, value: string, held: readonly string[]): boolean {
  const left = NO_ADDRESS.reduce((text, pattern) => text.replace(pattern, " "), lines.join("\n"));
  const own = toTokens(value).filter(isNumber);
  return left.split(/[\n,]/).some((line) => {
    const tokens = toTokens(line);
    const [numbers, words] = [tokens.filter(isNumber), tokens.filter((token) => isWord(token) && !isKind(token))];
    if (numbers.length === 0 || !tokens.some((token) => !isNumber(token))) return false;
    const isOther = words.some((word) => !isAmong(word, held)) && numbers.some((number) => isAmong(number, own));
    return isOther || numbers.some((number) => !isAmong(number, held));
  });
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
