import { parseAmounts } from "../values/amount.ts";

const MAX_LENGTH = 50;
const MAX_WORDS = 6;
const COLON = /^([^:]{1,60}?)\s*:\s+(\S[\s\S]{0,400})$/;
/** "Subtotal£4": pages put the two side by side without a space between them in the tree. */
const MONEY = /^(\p{L}[\p{L} ()%-]*?)\s*([-−]?\s?[€£$¥]\s?\d[\d.,]*|[-−]?\d[\d.,]*\s?(?:€|EUR|USD|GBP|CHF))$/u;
const NO_LABEL_END = /\b(?:from|over|for|to|only|of|under|above|with|until|save|was|now|at|by|and|or|than|up)$/i;
/** Several labels in one text: where one value ends is anybody's guess. */
const ANOTHER_LABEL = /\s\p{L}[\p{L}\d]*:\s/u;
const CODED =
  /^((?:your )?(?:order|invoice|booking|reservation|ticket|case|receipt|reference|confirmation|tracking|account|customer|policy|claim|request|issue|transaction|payment|shipment|quote)(?: (?:number|no\.?|id|code|reference))?)\s+(#?(?=[\w-]*\d)[A-Z0-9][\w-]{2,})$/i;
const SENTENCE = /\b(?:your|the)\s+([a-z][a-z -]{1,40}?)\s+(?:is|was)\s*:?\s+((?:[^\s.,;!]|[.,](?=\d))+)/gi;

/** Whether a text can name a value: a few words, no sentence, not a value itself. */
export function isLabel(text: string): boolean {
  if (text.length === 0 || text.length > MAX_LENGTH || text.split(" ").length > MAX_WORDS) return false;
  if (!/\p{L}{2}|^[A-Z]$/u.test(text) || /[.!?;,]$/.test(text)) return false;
  return parseAmounts(text).every(({ currency, value }) => currency === null && Number.isInteger(value) && value < 100);
}

export interface LabelledText {
  readonly label: string;
  readonly value: string;
}

/** "Order number: 123", "Total £44" and "Order T-10062", where that is all a text says. */
export function splitLabel(text: string): LabelledText | null {
  const [, label = "", value = ""] = COLON.exec(text) ?? MONEY.exec(text) ?? CODED.exec(text) ?? [];
  const trimmed = label.trim();
  if (ANOTHER_LABEL.test(` ${value}`)) return null;
  if (!isLabel(trimmed) || NO_LABEL_END.test(trimmed) || value === "") return null;
  return { label: trimmed, value: value.trim() };
}

/** "Your order number is T-10062.": what a sentence names, where the value is a code or an amount. */
export function findLabelsInSentence(text: string): LabelledText[] {
  const found: LabelledText[] = [];
  for (const [, label = "", value = ""] of text.slice(0, 1_000).matchAll(SENTENCE)) {
    if (/\d/.test(value) && isLabel(label)) found.push({ label, value });
  }
  return found;
}
