import { simplify } from "../../browser/observation/twin-fields.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import { kindOfText } from "../grounding/short-texts.ts";
import type { Entry } from "./entries.ts";
import { toOptionKey } from "./options.ts";
import { isSameParty } from "./parties.ts";
import type { OrderReading } from "./read-order.ts";
import type { ShownValue } from "./shown-values.ts";

type Shown = Pick<ShownValue, "label" | "value">;

/** With more options, such as countries, one of them may be there for another reason. */
const MAX_OPTIONS = 12;
/** Words for anything, and what stands in a list before something is chosen. */
const BLAND = /^(?:yes|no|none|others?|all|any|on|off|true|false|new|old|mr|mrs|ms)$|^(?:please|select|choose|pick|-)/;

/** Exactly one other of the options that were there to choose from, and the chosen one nowhere. */
export function findOtherOption(entry: Entry, shown: readonly ShownValue[], order: OrderReading): Shown | undefined {
  const options = entry.options.filter((option) => !BLAND.test(toOptionKey(option)));
  const keys = new Set([entry.value, ...options].map(toOptionKey));
  const isTelling = keys.size >= new Set(options.map(foldVisible)).size && [...keys].every(isTellingKey);
  // Options that differ only in their details, and those that may be about anything, are told by their label.
  const toKey = isTelling ? toOptionKey : foldVisible;
  const own = toKey(entry.value);
  const others = new Set(options.map(toKey).filter((key) => key !== own));
  const isAnywhere = isTelling && keys.size <= MAX_OPTIONS;
  const labelled = shown.filter((each) => isOfEntry(each, entry, isAnywhere)).flatMap(withCharge);
  const said = isAnywhere ? [...labelled, ...listChosen(entry, order)] : labelled;
  const found = said.filter(({ value }) => others.has(toKey(value)));
  const [first] = found;
  if (first === undefined || found.some(({ value }) => toKey(value) !== toKey(first.value))) return undefined;
  const isShown = isTelling ? mentions(order.text, own, others) : said.some(({ value }) => toKey(value) === own);
  return isShown ? undefined : first;
}

function isTellingKey(key: string): boolean {
  return /\p{L}{3}/u.test(key) && !BLAND.test(key);
}

/** What is labelled like another field beside the entry is about that one. */
function isOfEntry({ label, party }: ShownValue, entry: Entry, isAnywhere: boolean): boolean {
  if (party !== null && entry.party !== null && !isSameParty(party, entry.party)) return false;
  const [one, other] = [simplify(label), simplify(entry.label)];
  return one === other || (isAnywhere && !entry.otherLabels.has(one));
}

/** "Express delivery: €9.90" also names an option. */
function withCharge({ label, value }: Shown): Shown[] {
  const isCharge = /\b(?:delivery|shipping|versand|livraison)\b/i.test(label) && kindOfText(value) === "price";
  return isCharge ? [{ label: value, value: label }] : [{ label, value }];
}

/** Options that are on. */
function listChosen({ label }: Entry, { chosen }: OrderReading): Shown[] {
  return chosen.map((value) => ({ label: label || "chosen", value }));
}

/** Whether the page names an option elsewhere than in the name of another one, or as one that is off. */
function mentions(text: string, own: string, others: ReadonlySet<string>): boolean {
  const longer = [...others].filter((other) => other.includes(own));
  const rest = longer.reduce((left, other) => left.replaceAll(other, " "), text).replaceAll(`☐ ${own}`, " ");
  return rest.includes(own);
}
