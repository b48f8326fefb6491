import { sha256 } from "../lib/hash.ts";

/**
 * A template is a prompt with slots: "Order <quantity> of <product>". A prompt matches when it is the same outside of the
 * slots, in one way only, and each value is of the kind that the slot had before. Nothing here depends on a language.
 */

export const VARIABLE_KINDS = ["text", "number", "date", "email", "choice"] as const;
export type VariableKind = (typeof VARIABLE_KINDS)[number];

export interface Variable {
  readonly kind: VariableKind;
  /** At most this many words: a longer text may say more than a value. Absent: any number. */
  readonly max_words?: number;
}
export type Variables = Readonly<Record<string, Variable>>;
export type Values = Readonly<Record<string, string>>;

export const VARIABLE_NAME = /^[a-z][a-z0-9_]{0,39}$/;
/** Longer prompts are not matched. */
export const MAX_TOKENS = 300;
export const MAX_VALUE_LENGTH = 2_000;

/** A word, a number or a sign, with its place in the text. */
export interface Token {
  /** In lower case. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Scripts that put no spaces between words: there each character is a token. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const TOKEN = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+|\\S`, "gu");
const LAST_SIGNS = /^[.!。！]$/u;

/** Without the signs that end the last sentence, which people leave out. */
export function tokenize(text: string): Token[] {
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: found, index }) => ({
    text: found.normalize("NFKC").toLowerCase(),
    start: index,
    end: index + found.length,
  }));
  while (LAST_SIGNS.test(tokens.at(-1)?.text ?? "")) tokens.pop();
  return tokens;
}

type Part = { readonly slot: string } | { readonly words: readonly string[] };

const SLOT = /<([a-z][a-z0-9_]{0,39})>/g;
export const IS_SLOT = /^<[a-z][a-z0-9_]{0,39}>$/;

/** The names of the slots in a text. */
export function listSlots(text: string): string[] {
  return [...text.matchAll(SLOT)].map(([, name = ""]) => name);
}

/** Words and slots in turn. "<b>" is a slot only if there is a variable b. */
export function parseTemplate(template: string, variables: Variables): Part[] {
  const parts: Part[] = [];
  let from = 0;
  const addWords = (to: number) => {
    const words = tokenizeAll(template.slice(from, to));
    if (words.length > 0) parts.push({ words });
  };
  for (const { 0: found, 1: name = "", index } of template.matchAll(SLOT)) {
    if (!Object.hasOwn(variables, name)) continue;
    addWords(index);
    parts.push({ slot: name });
    from = index + found.length;
  }
  const last = tokenize(template.slice(from)).map(({ text }) => text);
  if (last.length > 0) parts.push({ words: last });
  return parts;
}

function tokenizeAll(text: string): string[] {
  return [...text.matchAll(TOKEN)].map(([found]) => found.normalize("NFKC").toLowerCase());
}

/** The values of the slots; null when the prompt does not match, or in more ways than one. */
export function matchTemplate(template: string, variables: Variables, prompt: string): Values | null {
  const parts = parseTemplate(template, variables);
  const tokens = tokenize(prompt);
  if (tokens.length > MAX_TOKENS) return null;
  const ways = findWays(parts, tokens, prompt, variables);
  return ways.length === 1 ? (ways[0] ?? null) : null;
}

/** Slots beside each other can be filled in very many ways: then nobody tries them all. */
const MAX_TRIES = 20_000;

/** At most two: whether there is a second is all that matters. None when there are too many to try. */
function findWays(parts: readonly Part[], tokens: readonly Token[], prompt: string, variables: Variables): Values[] {
  const dead = new Set<string>();
  let tries = 0;

  function* match(part: number, at: number, values: Values): Generator<Values> {
    const current = parts[part];
    if (current === undefined) {
      if (at === tokens.length) yield values;
      return;
    }
    const state = `${part} ${at}`;
    // A repeated variable must have the same value, so what was tried before may differ then.
    if (dead.has(state)) return;
    let isFound = false;
    for (const [end, next] of endsOf(part, current, at, values)) {
      for (const way of match(part + 1, end, next)) {
        isFound = true;
        yield way;
      }
    }
    if (!isFound && !hasRepeatedSlot) dead.add(state);
  }

  type End = [end: number, values: Values];

  function* endsOf(part: number, current: Part, at: number, values: Values): Generator<End> {
    if ("slot" in current) yield* endsOfSlot(part, current.slot, at, values);
    else if (current.words.every((word, index) => tokens[at + index]?.text === word))
      yield [at + current.words.length, values];
  }

  function* endsOfSlot(part: number, slot: string, at: number, values: Values): Generator<End> {
    const variable = variables[slot];
    if (variable === undefined) return;
    const known = Object.hasOwn(values, slot) ? values[slot] : undefined;
    const mark = closingMark(parts[part - 1], parts[part + 1]);
    for (let end = at + 1; end <= tokens.length && tries < MAX_TRIES; end += 1) {
      tries += 1;
      const value = readValue(prompt.slice(tokens[at]?.start, tokens[end - 1]?.end), variable, mark);
      const isSame = known === undefined || known.toLowerCase() === value?.toLowerCase();
      if (value !== null && isSame) yield [end, { ...values, [slot]: known ?? value }];
    }
  }

  const slots = parts.flatMap((part) => ("slot" in part ? [part.slot] : []));
  const hasRepeatedSlot = new Set(slots).size < slots.length;
  const ways: Values[] = [];
  for (const way of match(0, 0, {})) {
    ways.push(way);
    if (ways.length === 2) break;
  }
  return tries < MAX_TRIES ? ways : [];
}

/** Quotation marks, by the one that begins a text. */
export const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“",
  "«": "»",
  "‘": "’",
  "'": "'",
  "「": "」",
};

/** The value that is said; null when it is none for the variable. `mark` ends it where the template has quotation marks. */
function readValue(said: string, variable: Variable, mark: string | null): string | null {
  const quoted = mark === null ? readQuoted(said) : null;
  const value = quoted ?? said;
  return fitsVariable(value, variable) && (quoted !== null || isAlone(value, variable, mark)) ? value : null;
}

/** What stands between quotation marks; null when the text is anything else. */
function readQuoted(text: string): string | null {
  const closing = QUOTES[text[0] ?? ""];
  const inner = text.slice(1, -1).trim();
  const isOne = closing !== undefined && text.length > 2 && text.endsWith(closing) && !inner.includes(closing);
  return isOne ? inner : null;
}

/** The mark that ends what is between these parts; null when it is not in quotation marks. */
function closingMark(before: Part | undefined, after: Part | undefined): string | null {
  const opened = before !== undefined && "words" in before ? before.words.at(-1) : undefined;
  const closing = opened !== undefined && Object.hasOwn(QUOTES, opened) ? QUOTES[opened] : undefined;
  return closing !== undefined && after !== undefined && "words" in after && after.words[0] === closing
    ? closing
    : null;
}

/** Whether a value is all that is said there: in quotation marks up to the next mark, otherwise one thing. */
function isAlone(value: string, { kind }: Variable, mark: string | null): boolean {
  if (mark === null) return (kind !== "text" && kind !== "choice") || isOneThing(value);
  // An apostrophe is part of a word.
  return !value.replace(/(?<=\p{L})['’](?=\p{L})/gu, "").includes(mark);
}

/** The template with values in its slots. */
export function fillTemplate(template: string, values: Values): string {
  return template.replace(SLOT, (slot, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? slot) : slot));
}

const NUMBER = /^[+\-−]?\d[\d.,'’\u00a0\u202f]*$/;
const EMAIL = /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;"]+$/;
const DATES = [
  /^\d{4}-\d{1,2}-\d{1,2}$/,
  /^\d{1,2}[./-]\d{1,2}[./-](?:\d{2}|\d{4})$/,
  /^\d{1,2}(?:\.|st|nd|rd|th)? \p{L}+\.?,? \d{4}$/u,
  /^\p{L}+\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}$/u,
  /^\d{4}年\d{1,2}月\d{1,2}日$/,
];

/** What a value looks like. A choice looks like any text. */
export function kindOf(value: string): Exclude<VariableKind, "choice"> {
  // "11.3.2026" would be a number too.
  if (DATES.some((form) => form.test(value))) return "date";
  if (NUMBER.test(value)) return "number";
  return EMAIL.test(value) ? "email" : "text";
}

/**
 * Signs and words that join two requests or make a condition: "kettle and tell me its price" is more than a value. Such a
 * value is not wrong, only unclear: a prompt with it is not matched.
 */
const JOINING =
  /[.,!?;:](?:\s|$)|[、，。！？；\n]|(?<![\p{L}\p{N}'’.-])(?:and|then|but|or|if|unless|except|otherwise|instead|und|dann|aber|oder|wenn|falls|außer|sonst|et|puis|mais|ou|si|sauf|sinon|y|luego|pero|e|o|poi|ma|se|salvo|en|maar|tenzij|als|och|og|eller|i|oraz|jeśli|ale|и|или|если|но|ve|veya|eğer)(?![\p{L}\p{N}'’.-])/iu;

export function countWords(value: string): number {
  return tokenize(value).filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).length;
}

/** Whether a text can be a value and nothing else. */
export function isOneThing(value: string): boolean {
  return !JOINING.test(value);
}

export function fitsVariable(value: string, { kind, max_words: maxWords }: Variable): boolean {
  if (value.length > MAX_VALUE_LENGTH || value.trim() === "" || IS_SLOT.test(value)) return false;
  if (kind === "choice" || kind === "text") {
    const isText = kind === "choice" || kindOf(value) === "text";
    return isText && (maxWords === undefined || (countWords(value) <= maxWords && isOneThing(value)));
  }
  return kindOf(value) === kind;
}

const WINDOW = 4;

/**
 * What a prompt could be filed under: every sequence of up to four of its tokens. A template is filed under one of them, so
 * finding it is a lookup, however many there are.
 */
export function listPromptKeys(scope: string, prompt: string): string[] {
  const words = tokenize(prompt).map(({ text }) => text);
  if (words.length > MAX_TOKENS) return [];
  const windows = words.flatMap((_, start) =>
    Array.from({ length: Math.min(WINDOW, words.length - start) }, (__, more) => words.slice(start, start + more + 1)),
  );
  return [...new Set(windows.map(createKeyMaker(scope)))];
}

/** What a template can be filed under; empty when it has no words besides its slots. */
export function listTemplateKeys(scope: string, template: string, variables: Variables): string[] {
  const keys = parseTemplate(template, variables).flatMap((part) => {
    if ("slot" in part) return [];
    const { words } = part;
    const size = Math.min(WINDOW, words.length);
    return Array.from({ length: words.length - size + 1 }, (_, start) => words.slice(start, start + size));
  });
  const isSaid = (words: readonly string[]) => words.some((word) => /[\p{L}\p{N}]/u.test(word));
  return [...new Set(keys.filter(isSaid).map(createKeyMaker(scope)))];
}

/**
 * Keys of 64 bits, as PostgreSQL's bigint. A long prompt has a thousand sequences, so each word is hashed only once. Other
 * words with the same key do no harm: the template is compared afterwards.
 */
function createKeyMaker(scope: string): (words: readonly string[]) => string {
  const hashes = new Map<string, readonly [number, number]>();
  const hash = (word: string) => {
    const known = hashes.get(word);
    if (known !== undefined) return known;
    const bytes = sha256(word);
    const fresh = [bytes.readInt32BE(0), bytes.readInt32BE(4)] as const;
    hashes.set(word, fresh);
    return fresh;
  };
  return (words) => {
    let [high, low] = hash(scope);
    for (const word of words) {
      const [one, other] = hash(word);
      high = mix(high, one, 0x9e3779b1);
      low = mix(low, other, 0x85ebca6b);
    }
    return ((BigInt(high) << 32n) | BigInt(low >>> 0)).toString();
  };
}

function mix(state: number, word: number, factor: number): number {
  const product = Math.imul(state ^ word, factor);
  return Math.imul(product ^ (product >>> 15), 0x2c1b3c6d) ^ (product >>> 12);
}
