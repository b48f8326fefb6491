import { parseAmount, parseAmounts } from "./amounts.ts";
import { findDates } from "./dates.ts";

/** What a short text without a label is, by its form alone. */
export type TextKind = "price" | "rating" | "date" | "availability" | "text";

const RATING = /(?:★|⭐|\bstars?\b|\brated\b|\d\s*(?:out of|\/)\s*(?:5|10)\b)/i;
const STOCK = /\b(?:in stock|out of stock|sold out|unavailable|not available|available|left)\b/i;
const MAX_WORDS_AROUND = 4;

export function kindOfText(text: string): TextKind {
  if (text.length > 80) return "text";
  if (RATING.test(text) && parseAmounts(text).length > 0) return "rating";
  if (STOCK.test(text) && parseBoolean(text) !== null) return "availability";
  if (!/\d/.test(text)) return "text";
  const dates = findDates(text);
  const [date] = dates;
  if (date !== undefined) return dates.length === 1 && isMostly(text, date.quote) ? "date" : "text";
  const amount = parseAmount(text);
  if (amount !== null && amount.currency !== null && isMostly(text, amount.quote)) return "price";
  return "text";
}

function isMostly(text: string, quote: string): boolean {
  return text.replace(quote, " ").split(/\s+/).filter(Boolean).length <= MAX_WORDS_AROUND;
}

const YES = /^(?:yes|y|true|on|checked|selected|enabled|active|included|available|in stock|[✓✔☑✅])(?![\p{L}\d])/iu;
const NO =
  /^(?:no|n|false|off|unchecked|not checked|disabled|inactive|not included|none left|unavailable|currently unavailable|not available|out of stock|not in stock|sold out|temporarily out of stock|[✗✘☐❌✖])(?![\p{L}\d])/iu;
const LEFT = /^(?:only\s+)?(\d+)\s+(?:left|in stock|available|remaining)\b/i;
/** A clause may follow, but not another word: "No" is an answer, "No. 12" and "Yes Minister" are names. */
const CLAUSE = /^\s*(?:$|[,;:(–—-]|[!.]$|\p{L}*\s*in stock)/u;

/** Yes or no as pages write it: words, check marks, stock levels. Null for everything else. */
export function parseBoolean(text: string): boolean | null {
  const words = text.trim().replace(/\s+/g, " ");
  const left = LEFT.exec(words);
  if (left !== null) return Number(left[1]) > 0;
  for (const [pattern, answer] of [[NO, false] as const, [YES, true] as const]) {
    const matched = pattern.exec(words)?.[0];
    if (matched !== undefined && isWhole(matched, words.slice(matched.length))) return answer;
  }
  return null;
}

/** A check mark may be followed by its label. */
function isWhole(matched: string, rest: string): boolean {
  return matched.length === 1 && !/\p{L}/u.test(matched) ? true : CLAUSE.test(rest);
}

const MAX_LENGTH = 50;
const MAX_WORDS = 6;
const COLON = /^([^:]{1,60}?)\s*:\s+(\S[\s\S]{0,400})$/;
/** "Subtotal£4": the accessibility tree may have no space between the two. */
const MONEY = /^(\p{L}[\p{L} ()%-]*?)\s*([-−]?\s?[€£$¥]\s?\d[\d.,]*|[-−]?\d[\d.,]*\s?(?:€|EUR|USD|GBP|CHF))$/u;
const NO_LABEL_END = /(?:^|\s)(?:from|over|for|to|only|of|under|above|with|until|save|was|now|at|by|and|or|than|up)$/i;
/** With several labels in one text, nobody can say where a value ends. */
const ANOTHER_LABEL = /\s\p{L}[\p{L}\d]*:\s/u;
const CODED =
  /^((?:your )?(?:order|invoice|booking|reservation|ticket|case|receipt|reference|confirmation|tracking|account|customer|policy|claim|request|issue|transaction|payment|shipment|quote)(?: (?:number|no\.?|id|code|reference))?)\s+(#?(?=[\w-]*\d)[A-Z0-9][\w-]{2,})$/i;
/** Every such sentence has one. Most texts of a page have none. */
const VERB = /\s(?:is|was)[\s:]/i;
const SENTENCE = /\b(?:your|the)\s+([a-z][a-z -]{1,40}?)\s+(?:is|was)\s*:?\s+((?:[^\s.,;!]|[.,](?=\d))+)/gi;

/** Whether a text can be the label of a value: a few words that are neither a sentence nor a value. */
export function isLabel(text: string): boolean {
  if (text.length === 0 || text.length > MAX_LENGTH || text.split(" ").length > MAX_WORDS) return false;
  if (!/\p{L}{2}|^[A-Z]$/u.test(text) || /[.!?;,]$/.test(text)) return false;
  return parseAmounts(text).every(({ currency, value }) => currency === null && Number.isInteger(value) && value < 100);
}

interface LabelledText {
  readonly label: string;
  readonly value: string;
}

/** "Order number: 123", "Total £44" and "Order T-10062", where the text says nothing else. */
export function splitLabel(text: string): LabelledText | null {
  const [, label = "", value = ""] = COLON.exec(text) ?? MONEY.exec(text) ?? CODED.exec(text) ?? [];
  const trimmed = label.trim();
  if (ANOTHER_LABEL.test(` ${value}`)) return null;
  if (!isLabel(trimmed) || NO_LABEL_END.test(trimmed) || value === "") return null;
  return { label: trimmed, value: value.trim() };
}

/** "Your order number is T-10062.": labels inside a sentence, where the value is a code or an amount. */
export function findLabelsInSentence(text: string): LabelledText[] {
  const found: LabelledText[] = [];
  const searched = text.slice(0, 1_000);
  if (!VERB.test(searched)) return found;
  for (const [, label = "", value = ""] of searched.matchAll(SENTENCE)) {
    if (/\d/.test(value) && isLabel(label)) found.push({ label, value });
  }
  return found;
}
