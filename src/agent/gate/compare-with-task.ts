import { foldVisible } from "../../browser/observation/visible-text.ts";
import { isSameCurrency, parseAmounts } from "../grounding/amounts.ts";
import { parseNumberWord } from "../grounding/english-words.ts";
import { contentWords, isKnownWord, toKnownWords } from "../grounding/prose.ts";
import { isInEnglish, type Operation } from "./operation.ts";
import type { OrderItem, OrderReading } from "./read-order.ts";

/** What the task and the run ask for. */
export interface Asked {
  /** The prompt. */
  readonly task: string;
  /** Pages on which the run itself chose something: their titles and headings name what it chose. */
  readonly chosen: () => readonly string[];
  /** What the run has typed or chosen. */
  readonly entered: readonly string[];
  /** What the run has entered as a quantity. */
  readonly quantities: readonly number[];
}

/** What the page says and the task does not ask for; null when code finds nothing. For acts that cost money. */
export function findExcess(order: OrderReading, asked: Asked): string | null {
  const shares = order.items.map((item) => measureAsked(item, asked));
  const best = Math.max(...shares);
  // Beside an item that the task names in full, one that shares a word with it is another one.
  const stranger = order.items.find((_, index) => shares[index] === 0 || (best === 1 && shares[index] !== 1));
  if (stranger !== undefined) {
    return `The page lists ${stranger.quantity} × "${shorten(stranger.name)}", which the task does not name.`;
  }
  const tooMany = order.items.find((item) => !isQuantityAsked(item, asked));
  if (tooMany !== undefined) {
    return `The page lists ${tooMany.quantity} × "${shorten(tooMany.name)}", and the task does not name this number.`;
  }
  return findTooFew(order, asked) ?? findTooExpensive(order, asked.task);
}

/** Of the only item fewer than the run has chosen, and the task names that number: the site has changed it. */
function findTooFew({ items: [only, ...others] }: OrderReading, asked: Asked): string | null {
  const chosen = asked.quantities.at(-1) ?? 0;
  if (only === undefined || others.length > 0 || only.quantity >= chosen || !namesNumber(asked.task, chosen))
    return null;
  return `The page lists ${only.quantity} × "${shorten(only.name)}", and ${chosen} were chosen.`;
}

const MIN_BEGINNING = 5;

/** An address that has only the beginning of what was entered: the site has cut it off. Null when there is none. */
export function findCutOff({ addresses }: OrderReading, { entered }: Asked): string | null {
  const shown = foldVisible(addresses.flat().join("\n"));
  const cut = entered.find((text) => {
    const folded = foldVisible(text);
    const isBegun = folded.length > MIN_BEGINNING && shown.includes(folded.slice(0, MIN_BEGINNING));
    return isBegun && !shown.includes(folded);
  });
  return cut === undefined ? null : `The page shows only a part of "${shorten(cut)}" in the address.`;
}

/** The share of the words of its name that the task has; 1 for what the run itself has chosen. */
function measureAsked({ name }: OrderItem, { task, chosen }: Asked): number {
  const names = contentWords(name);
  const known = toKnownWords([task]);
  const folded = foldVisible(name);
  if (names.length === 0 || chosen().some((text) => foldVisible(text).includes(folded))) return 1;
  return names.filter((word) => isKnownWord(word, known)).length / names.length;
}

const MANY = /\b(?:both|couple|pair|dozen|each|every|all|some|several|few)\b/i;

function isQuantityAsked({ quantity }: OrderItem, { task, entered }: Asked): boolean {
  // Number words of other languages are not known.
  if (quantity <= 1 || MANY.test(task) || !isInEnglish(task)) return true;
  return namesNumber(task, quantity) || entered.some((text) => Number(text) === quantity);
}

function namesNumber(task: string, number: number): boolean {
  const words = task.match(/\d+|\p{L}+/gu) ?? [];
  return words.some((word) => Number(word) === number || parseNumberWord(word) === number);
}

const LIMIT =
  /\b(?:at most|up to|under|below|less than|(?:no|not?|n['’]t)\b[^.!?\n]{0,20} more than|max(?:imum)?(?: of)?|cheaper than|within|budget(?: is| of)?|limit(?: is| of)?|höchstens|maximal|unter|moins de|au plus|menos de)\b[^.!?\n]{0,20}$/i;
const LIMIT_BEHIND =
  /^[^.!?\n]{0,3}\s*(?:or less|or cheaper|or under|at (?:the )?most|max(?:imum)?\b|tops|oder weniger)/i;

/** The task names the most that it may cost. */
function findTooExpensive({ total }: OrderReading, task: string): string | null {
  if (total === null) return null;
  const limits = parseAmounts(task).filter(({ currency, end, quote }) => {
    const at = task.indexOf(quote, Math.max(0, end - quote.length - 4));
    const isLimit = LIMIT.test(task.slice(0, at)) || LIMIT_BEHIND.test(task.slice(at + quote.length));
    return currency !== null && isSameCurrency(currency, total.currency) && isLimit;
  });
  const limit = limits.find(({ value }) => total.value > value);
  return limit === undefined
    ? null
    : `The page says that it costs ${formatAmount(total.value, total.currency)}, and the task allows ${limit.quote}.`;
}

const TOTAL_NAME = /^(?:(?:grand|order|cart)[_-]?)?(?:total|amount|sum)(?:[_-]?(?:price|amount|cents|due))?$/i;
const QUANTITY_NAME = /^(?:qty|quantity|quantities|count|anzahl|menge)$/i;
const RECIPIENT_NAME =
  /^(?:to|cc|bcc|recipients?|rcpt|e?mail[_-]?to|to[_-]?e?mail|destination|iban|payee|beneficiary|account[_-]?(?:no|number|to))$/i;

/** What a request carries and neither the page nor the task says: it was swapped on the way. Null when there is nothing. */
export function findSwapped({ values }: Operation, order: OrderReading, asked: Asked): string | null {
  const said = `${foldVisible(asked.task)}\n${foldVisible(asked.entered.join("\n"))}`;
  const shown = `${order.text}\n${said}`;
  const amounts = new Set(order.amounts.flatMap((value) => [value, Math.round(value * 100)]));
  const quantities = order.items.map(({ quantity }) => quantity);
  const all = quantities.reduce((sum, quantity) => sum + quantity, 0);
  for (const { name, value } of values) {
    const text = value.trim();
    if (RECIPIENT_NAME.test(name) && /@|^[A-Z]{2}\d{2}/.test(text) && !shown.includes(foldVisible(text))) {
      return `It would go to ${shorten(text)}, which is neither on the page nor in the task.`;
    }
    const number = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
    if (number === null) continue;
    if (QUANTITY_NAME.test(name) && number > 1 && ![...quantities, all].includes(number) && !isNumberIn(number, said)) {
      return `It would send the quantity ${number}, which is neither on the page nor in the task.`;
    }
    if (TOTAL_NAME.test(name) && order.total !== null && number > 0 && !amounts.has(number)) {
      const total = formatAmount(order.total.value, order.total.currency);
      return `It would send the amount ${number}, and the page says ${total}.`;
    }
  }
  return null;
}

function isNumberIn(number: number, text: string): boolean {
  return (text.match(/\d+|\p{L}+/gu) ?? []).some((word) => Number(word) === number || parseNumberWord(word) === number);
}

export function formatAmount(value: number, currency: string): string {
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency }).format(value);
  } catch {
    return `${currency}${value.toFixed(2)}`;
  }
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
