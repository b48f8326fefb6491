import {
  countWords,
  isOneThing,
  kindOf,
  MAX_TOKENS,
  matchTemplate,
  type Token,
  tokenize,
  type Variable,
  type VariableKind,
  type Variables,
} from "../../recipes/template.ts";
import { findDates } from "../grounding/dates.ts";
import { describeStep } from "../steps/describe-step.ts";
import { type CollectStep, type ReadStep, type Step, type StepOf, type Target, toTarget } from "../steps/step.ts";

/** A text of the prompt that steps use, and where it is. */
interface Use {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly variable: Variable;
}

/** Steps whose values are slots, and the prompt as their template. */
interface Parametrized {
  readonly template: string;
  readonly variables: Variables;
  readonly steps: readonly Step[];
}

/** Why something cannot become a recipe. The message is for people. */
export class NotLearnable extends Error {
  override readonly name = "NotLearnable";
}

/** The places of a text in the prompt, as whole words and without regard to case. */
export function findInPrompt(text: string, prompt: string): { readonly start: number; readonly end: number }[] {
  const wanted = tokenize(text).map((token) => token.text);
  if (wanted.length === 0) return [];
  const tokens = tokenize(prompt);
  return tokens.flatMap((first, at) => {
    const isHere = wanted.every((word, index) => tokens[at + index]?.text === word);
    const last = tokens[at + wanted.length - 1];
    return isHere && last !== undefined ? [{ start: first.start, end: last.end }] : [];
  });
}

export function isInPrompt(text: string, prompt: string): boolean {
  return findInPrompt(text, prompt).length > 0;
}

/** The longest run of words of the text that the prompt has too, with at least one letter or digit; null without one. */
export function findSharedWords(text: string, prompt: string): string | null {
  const tokens = tokenize(text);
  for (let length = tokens.length; length > 0; length--) {
    for (let at = 0; at + length <= tokens.length; at++) {
      const part = text.slice(tokens[at]?.start, tokens[at + length - 1]?.end);
      if (/[\p{L}\p{N}]{2}/u.test(part) && isInPrompt(part, prompt)) return part;
    }
  }
  return null;
}

/**
 * Turns the values of the prompt that steps use into variables. A value that is in the prompt more than once stays as it
 * is, because nobody knows which of them was meant; so does one that could be more than a value.
 */
export function parametrize(steps: readonly Step[], prompt: string): Parametrized {
  if (tokenize(prompt).length > MAX_TOKENS)
    throw new NotLearnable("The prompt is too long to be compared with others.");
  const values = new SlotCollector(prompt, listOpened(steps));
  const whole = steps.map((step) => values.replaceIn(step));
  const uses = values.list();
  const slotted = whole.map((step) => embed(step, uses, prompt) as Step);
  checkSpecifics(prompt, uses, steps);
  const template = insertSlots(prompt, uses);
  const variables = Object.fromEntries(uses.map(({ name, variable }) => [name, variable]));
  const again = matchTemplate(template, variables, prompt);
  if (again === null) throw new NotLearnable("Its values cannot be told apart from the rest of the prompt.");
  return { template, variables, steps: slotted };
}

function listOpened(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if ("steps" in step) return listOpened(step.steps);
    return "open" in step ? [toTarget(step.open).name ?? ""] : [];
  });
}

/** Texts in which a value may be a part: "Remove Brindle Kettle". */
const EMBEDDING: ReadonlySet<string> = new Set(["text", "no_text", "name", "row", "no_row", "section", "form"]);
const MIN_EMBEDDED = 3;

/** Replaces values that are part of longer texts. A short number may be there by chance. */
function embed(part: unknown, uses: readonly Use[], prompt: string): unknown {
  if (Array.isArray(part)) return part.map((each) => embed(each, uses, prompt));
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) => {
    if (typeof value !== "string" || !EMBEDDING.has(key)) return [key, embed(value, uses, prompt)];
    const longest = uses.toSorted((one, other) => other.end - other.start - (one.end - one.start));
    return [
      key,
      longest.reduce((text, { start, end, name }) => replaceWords(text, prompt.slice(start, end), name), value),
    ];
  });
  return Object.fromEntries(entries);
}

function replaceWords(text: string, value: string, name: string): string {
  const places = value.length < MIN_EMBEDDED ? [] : findInPrompt(value, text);
  return places.reduceRight((left, { start, end }) => `${left.slice(0, start)}<${name}>${left.slice(end)}`, text);
}

function insertSlots(prompt: string, uses: readonly Use[]): string {
  let template = "";
  let from = 0;
  for (const { start, end, name } of uses) {
    template += `${prompt.slice(from, start)}<${name}>`;
    from = end;
  }
  return template + prompt.slice(from);
}

/** Steps that are about one element. */
const ON_ELEMENTS: ReadonlySet<string> = new Set(["click", "double_click", "open", "check", "uncheck", "hover"]);
const EDITED: ReadonlySet<string> = new Set(["replace", "with", "insert", "after", "append"]);
const MORE_WORDS = 2;
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“",
  "«": "»",
  "‘": "’",
  "'": "'",
  "「": "」",
};

/** Collects the values that steps use, and replaces them by slots. */
class SlotCollector {
  readonly #prompt: string;
  readonly #opened: readonly string[];
  readonly #uses: Use[] = [];

  /** `opened`: what is opened by its name. It is called an item, also where it is searched for. */
  constructor(prompt: string, opened: readonly string[]) {
    this.#prompt = prompt;
    this.#opened = opened;
  }

  /** In the order of the prompt. */
  list(): readonly Use[] {
    return this.#uses.toSorted((one, other) => one.start - other.start);
  }

  replaceIn(step: Step): Step {
    if ("steps" in step) return { ...step, steps: step.steps.map((each) => this.replaceIn(each)) } as Step;
    if ("fill" in step) return { fill: this.#inFill(step.fill) };
    if ("select" in step) return { select: this.#inSelect(step.select) };
    if ("edit" in step) return { edit: this.#inEdit(step.edit) };
    if ("read" in step) return { read: this.#inRead(step.read) };
    if ("collect" in step) return { collect: this.#inCollect(step.collect) };
    if ("expect" in step) return { expect: this.#inExpect(step.expect) };
    return this.#inAction(step);
  }

  /** What is opened is what was asked for; what is clicked belongs to the site. */
  #inAction(step: Step): Step {
    const [[kind = "", target] = []] = Object.entries(step);
    if (!ON_ELEMENTS.has(kind) || typeof target === "boolean") return step;
    return { [kind]: this.#inTarget(target as string | Target, kind === "open" ? "item" : null) } as Step;
  }

  #inFill(fill: StepOf<"fill">["fill"]): StepOf<"fill">["fill"] {
    const { target, value } = fill;
    return { ...fill, target: this.#inTarget(target), value: this.#slot(String(value), nameOf(target)) };
  }

  #inSelect(select: StepOf<"select">["select"]): StepOf<"select">["select"] {
    const { target, value } = select;
    const name = target === undefined ? "choice" : nameOf(target);
    return { ...select, value: this.#slot(String(value), name, "choice") };
  }

  #inEdit(edit: StepOf<"edit">["edit"]): StepOf<"edit">["edit"] {
    const texts = Object.entries(edit).filter(([key, text]) => EDITED.has(key) && typeof text === "string");
    const slotted = texts.map(([key, text]) => [key, this.#slot(String(text), key)]);
    return { ...edit, target: this.#inTarget(edit.target), ...Object.fromEntries(slotted) };
  }

  #inRead(read: ReadStep): ReadStep {
    return read.row === undefined ? read : { ...read, row: this.#slot(read.row, "row") };
  }

  #inCollect(collect: CollectStep): CollectStep {
    const where = collect.where?.map((each) => this.#inComparison(each));
    return where === undefined ? collect : { ...collect, where };
  }

  /** The name of an element stays as it is, unless it is what was asked for; the row that it is in is what was asked for. */
  #inTarget(target: string | Target, name: string | null = null): string | Target {
    if (typeof target === "string") return name === null ? target : this.#slot(target, name);
    const { name: own, within } = target;
    const row = typeof within?.row === "string" ? { within: { ...within, row: this.#slot(within.row, "row") } } : {};
    const named = name === null || own === undefined ? {} : { name: this.#slot(own, name) };
    return { ...target, ...named, ...row };
  }

  #inExpect<Statement extends object>(statement: Statement): Statement {
    const texts = Object.entries(statement).filter(([key]) => ["text", "row", "no_row", "value"].includes(key));
    return { ...statement, ...Object.fromEntries(texts.map(([key, text]) => [key, this.#slot(String(text), "text")])) };
  }

  #inComparison<Comparison extends object>(comparison: Comparison): Comparison {
    const { column, ...tests } = comparison as Record<string, string | number | boolean>;
    const slotted = Object.entries(tests).map(([test, value]) => [
      test,
      this.#slot(String(value), String(column ?? "value")),
    ]);
    return { ...comparison, ...Object.fromEntries(slotted) };
  }

  /** The text with a slot for itself; the text as it is when it does not come from the prompt, or could be several things. */
  #slot(text: string, wanted: string, kind: VariableKind | null = null): string {
    const known = this.#uses.find(({ start, end }) => isSameText(this.#prompt.slice(start, end), text));
    if (known !== undefined) return `<${known.name}>`;
    const [place, ...others] = findInPrompt(text, this.#prompt);
    if (place === undefined || others.length > 0 || !/[\p{L}\p{N}]/u.test(text)) return text;
    if (this.#uses.some(({ start, end }) => place.start < end && start < place.end)) return text;
    const value = this.#prompt.slice(place.start, place.end);
    const variable = this.#describe(value, place, kind);
    if (variable === null) return text;
    const name = this.#nameFor(this.#opened.some((each) => isSameText(each, text)) ? "item" : wanted);
    this.#uses.push({ ...place, name, variable });
    return `<${name}>`;
  }

  /** In quotation marks a text may be anything; otherwise about as long as this one, and one thing only. */
  #describe(value: string, { start, end }: { start: number; end: number }, kind: VariableKind | null): Variable | null {
    const isQuoted = QUOTES[this.#prompt[start - 1] ?? ""] === this.#prompt[end];
    const looks = kindOf(value);
    const own = looks === "text" ? (kind ?? looks) : looks;
    if (isQuoted || (own !== "text" && own !== "choice")) return { kind: own };
    return isOneThing(value) ? { kind: own, max_words: countWords(value) + MORE_WORDS } : null;
  }

  #nameFor(wanted: string): string {
    const plain = wanted
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_");
    const name = plain.replace(/^[^a-z]+|_+$/g, "").slice(0, 30) || "value";
    const taken = new Set(this.#uses.map((use) => use.name));
    for (let count = 1; ; count++) {
      const numbered = count === 1 ? name : `${name}_${count}`;
      if (!taken.has(numbered)) return numbered;
    }
  }
}

function nameOf(target: string | { readonly name?: string | undefined; readonly role?: string | undefined }): string {
  return typeof target === "string" ? target : (target.name ?? target.role ?? "value");
}

function isSameText(one: string, other: string): boolean {
  return words(one) === words(other);
}

function words(text: string): string {
  return tokenize(text)
    .map((token) => token.text)
    .join(" ");
}

/**
 * What a prompt says in numbers, dates, addresses and quotation marks must be in a step. If no step uses it, the run has
 * decided something by it that the steps would not decide again: "the products under €20".
 */
function checkSpecifics(prompt: string, uses: readonly Use[], steps: readonly Step[]): void {
  const said = steps
    .map((step) => JSON.stringify(step))
    .join("\n")
    .toLowerCase();
  for (const { text, start, end } of listSpecifics(prompt)) {
    const isUsed = uses.some((use) => use.start <= start && end <= use.end) || said.includes(text.toLowerCase());
    if (!isUsed) throw new NotLearnable(`The prompt says "${text}", and no step uses it.`);
  }
}

function listSpecifics(prompt: string): Token[] {
  const find = (pattern: RegExp) =>
    [...prompt.matchAll(pattern)].map(({ 0: text, 1: inner, index }) => {
      const start = inner === undefined ? index : index + text.indexOf(inner);
      return { text: inner ?? text, start, end: start + (inner ?? text).length };
    });
  const dates = findDates(prompt).map(({ quote }) => quote);
  const inDate = (token: Token) =>
    dates.some((date) => prompt.indexOf(date) <= token.start && token.end <= prompt.indexOf(date) + date.length);
  const numbers = find(/\d+(?:[.,]\d+)*/g).filter((token) => !inDate(token));
  return [
    ...numbers,
    ...find(/[^\s@<>,;"]+@[^\s@<>,;"]+\.\w+/g),
    ...find(/["“„«「]([^"”“»」]{1,500})["”“»」]/g),
  ].filter(({ start }) => !isInUrl(prompt, start));
}

function isInUrl(prompt: string, at: number): boolean {
  return [...prompt.matchAll(/https?:\/\/\S+/g)].some(({ 0: url, index }) => index <= at && at < index + url.length);
}

/** Words by which a prompt leaves a decision to the run: the steps of one run do not decide again. */
const CONDITIONS =
  /\b(?:if|unless|otherwise|else|except|whenever|depending|provided|whether|instead|only when|as long as|in case|or)\b|\b(?:wenn|falls|sonst|außer|ansonsten|oder)\b|\b(?:sinon|sauf|lorsque|ou)\b|\b(?:salvo|excepto|a menos que)\b|\b(?:altrimenti|tranne|oppure)\b|\b(?:tenzij|anders|behalve)\b|(?:^|[^\p{L}])(?:si|se|jeśli|jeżeli|если|иначе|eğer|yoksa|إذا|अगर|यदि)(?=[^\p{L}]|$)|如果|若|除非|否则|もし|場合|만약|경우/iu;
const SELECTIONS =
  /\b(?:first(?! name)|last(?! name)|latest|newest|oldest|earliest|cheapest|best|worst|most|least|highest|lowest|largest|biggest|smallest|shortest|longest|nearest|closest|every|each|all|any|both|remaining|other)\b|\b(?:erste|letzte|neueste|älteste|nächste|günstigste|billigste|beste|meiste|höchste|niedrigste|alle|jede)[nrsm]?\b|\b(?:premier|première|dernier|dernière|moins cher|meilleur|tous|toutes|chaque|plus récent)e?s?\b|\b(?:primer|último|más barato|mejor|todos|todas|cada|primo|ultimo|migliore|tutti|tutte|ogni)[oa]?s?\b/iu;

/** Throws when the prompt asks for more than its values say. Whoever wrote the steps has said all of it. */
export function rejectDecisions(prompt: string): void {
  const plain = prompt.replace(/["“„«「][^"”“»」]{0,500}["”“»」]/g, '""');
  const condition = CONDITIONS.exec(plain)?.[0].trim();
  if (condition !== undefined)
    throw new NotLearnable(
      `The prompt has a condition ("${condition}"), and the steps of one run do not decide again.`,
    );
  const selection = SELECTIONS.exec(plain)?.[0].trim();
  if (selection !== undefined)
    throw new NotLearnable(
      `The prompt leaves a choice to the run ("${selection}"), which may be another one next time.`,
    );
}

export function describeAt(steps: readonly Step[], at: number): string {
  const step = steps[at];
  return step === undefined ? "after the last step" : `${at + 1} (${describeStep(step)})`;
}
