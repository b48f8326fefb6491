import { fold, stemNoun } from "../grounding/names.ts";
import { parseBoolean } from "../grounding/short-texts.ts";
import { formOf } from "./verbs.ts";

/** What the label beside a text names: the state ("Enabled: No"), the thing ("Gift wrap: Yes"), or that it is a state. */
type LabelKind = "state" | "thing" | "status";

const STATUS_LABEL = /(?:^|\s)(?:status|state|availability|stock|stage)(?: \d)?$/i;
/** Says nothing about what is in the state. */
const GENERIC = /^(?:status|state|stage|current|overall|\d)$/;

export function isStatusLabel(label: string): boolean {
  return STATUS_LABEL.test(label);
}

/**
 * Whether a label such as "Payment status" tells if something is paid. The other words of it must be of the state, or name what
 * is asked about: "Two-factor status" does not say that a person is enabled.
 */
export function isStatusOf(label: string, state: string, subject: readonly string[]): boolean {
  if (!isStatusLabel(label) || (isOfStock(label) && !isOfStock(state))) return false;
  const own = new Set(subject.flatMap((text) => stemNoun(text).split(" ")));
  const words = fold(label)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return words.every(
    (word) => GENERIC.test(word) || own.has(stemNoun(word)) || isOfStock(word) || formOf(word, state) !== null,
  );
}

const STOCK = /\b(?:stock|availability|available|unavailable|sold out)\b/i;
const SWITCHED = /^(?:on|off|(?:en|dis)abled|(?:in)?active)(?![\p{L}\d])/iu;
const INCLUDED = /^(?:not )?included(?![p{L}\d])/i;
const PLAIN = /^(?:yes|no|true|false|[^\p{L}\d]+)$/iu;

function isOfStock(text: string): boolean {
  return STOCK.test(text);
}

/** Whether a text beside a label says that something is in a state; null when it does not tell. */
export function says(text: string, state: string, label: LabelKind): boolean | null {
  const [said, wanted] = [fold(text), fold(state)];
  const [found, meant] = [parseBoolean(text), parseBoolean(state)];
  if (PLAIN.test(said)) {
    if (label === "state" || found === null) return found;
    // "Gift wrap: Yes" says that there is gift wrap, and not that it is hidden.
    const isTold = isOfStock(state) || (label === "thing" && [SWITCHED, INCLUDED].some((own) => own.test(wanted)));
    return isTold && meant !== null ? found === meant : null;
  }
  if (said === wanted) return true;
  if (isOpposite(said, wanted) || isOpposite(wanted, said)) return false;
  const isSameKind = [STOCK, SWITCHED, INCLUDED].some((own) => own.test(said) && own.test(wanted));
  return found !== null && meant !== null && isSameKind ? found === meant : null;
}

function isOpposite(one: string, other: string): boolean {
  return [`not ${other}`, `not yet ${other}`, `no longer ${other}`, `un${other}`, `in${other}`].includes(one);
}
