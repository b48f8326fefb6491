import { simplify } from "../../browser/observation/twin-fields.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { ActedPage } from "./acted-page.ts";
import { findOtherAddress } from "./compare-address.ts";
import { findOtherOption } from "./compare-option.ts";
import { differs } from "./differs.ts";
import type { Entry } from "./entries.ts";
import { type Act, CONFIRMS } from "./operation.ts";
import { isSameParty } from "./parties.ts";
import type { OrderReading } from "./read-order.ts";
import { readShownValues, type ShownValue } from "./shown-values.ts";

const SENDS: ReadonlySet<Act | null> = new Set<Act | null>(["buy", "book", "transfer", "send"]);

/** Whether what was entered before is sent for good. What is deleted has nothing to do with it. */
export function sendsEntries(act: Act | null, label: string): boolean {
  return SENDS.has(act) || (act === null && CONFIRMS.test(label));
}

/** What the page in front of a commit shows otherwise than the run has entered it before; null when code finds nothing. */
export function findOther({ observation: { root }, order }: ActedPage, entries: readonly Entry[]): string | null {
  if (entries.length === 0) return null;
  const shown = readShownValues(root);
  for (const entry of entries) {
    if (SUMMED.test(toPlain(entry.label))) continue;
    const other = entry.options.length > 1 ? findOtherOption(entry, shown, order) : findOtherValue(entry, shown, order);
    if (other !== undefined) {
      const how = entry.options.length > 1 ? "chosen" : "entered";
      const value = shorten(entry.value);
      return `The page says "${shorten(`${other.label}: ${other.value}`)}", and "${value}" was ${how}.`;
    }
  }
  return findOtherAddress(root, entries);
}

/** Labels of many things. They are of the same thing only beside another label that is the same, too. */
const VAGUE =
  /^(?:(?:the |your )?(?:name|title|type|number|no|status|description|date|time|price|total|amount|value|option|item|product|category|note|comment|message|text|subject|topic|details|address))$/;
/** A cart adds up numbers, and what becomes of a voucher is shown in its place. */
const SUMMED =
  /^(?:qty|quantity|anzahl|menge|quantité|cantidad)|voucher|coupon|promo|discount|gift ?card|(?<!(?:post|postal|zip|area)\s?)code$|cvc|cvv|expir/;
const MAX_CHARS = 100;
/** Shorter values are somewhere on every page. */
const MIN_CHARS = 3;

/** Values with the label of the entry, of which none can be what was entered. */
function findOtherValue(entry: Entry, shown: readonly ShownValue[], order: OrderReading): ShownValue | undefined {
  const { label, value } = entry;
  const plain = toPlain(label);
  if (label === "" || value.length > MAX_CHARS || value.includes("\n")) return undefined;
  if (isShown(value, order)) return undefined;
  const own = shown.filter(
    (each) =>
      simplify(each.label) === simplify(label) &&
      isSameParty(each.party, entry.party) &&
      (!VAGUE.test(plain) || [...each.otherLabels].some((other) => entry.otherLabels.has(other))),
  );
  return own.every((each) => differs(each.value, value)) ? own[0] : undefined;
}

function toPlain(label: string): string {
  return foldVisible(label).replace(/\s*[*:]+$/, "");
}

/** Whether the page shows the value anywhere. */
function isShown(value: string, { text }: OrderReading): boolean {
  const [one, all] = [value, text].map(toLetters) as [string, string];
  return one.length >= MIN_CHARS && all.includes(one);
}

function toLetters(text: string): string {
  return foldVisible(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
