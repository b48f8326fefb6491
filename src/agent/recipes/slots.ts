import {
  countWords,
  isOneThing,
  kindOf,
  MAX_TOKENS,
  matchTemplate,
  QUOTES,
  tokenize,
  type Variable,
  type VariableKind,
  type Variables,
} from "../../recipes/template.ts";
import { type CollectStep, type ReadStep, type Step, type StepOf, type Target, toTarget } from "../steps/step.ts";
import { findInPrompt, NotLearnable, type PromptPlace } from "./prompt-values.ts";

/** A text of the prompt that steps use, and where it is. */
interface Use extends PromptPlace {
  readonly name: string;
  readonly variable: Variable;
}

/** Steps whose values are slots, and the prompt as their template. */
interface Parametrized {
  readonly template: string;
  readonly variables: Variables;
  readonly steps: readonly Step[];
}

/**
 * Turns the values of the prompt that steps use into variables. A value that is in the prompt more than once stays as it
 * is, because nobody knows which of them was meant; so does one that could be more than a value. It does not count when it
 * is there again as a part of what is clicked: "Search for Brindle Kettle and click Add Brindle Kettle to cart" has one value.
 */
export function parametrize(steps: readonly Step[], prompt: string): Parametrized {
  if (tokenize(prompt).length > MAX_TOKENS)
    throw new NotLearnable("The prompt is too long to be compared with others.");
  const clicked = listClicked(steps).flatMap((name) => findInPrompt(name, prompt));
  const values = new SlotCollector(prompt, listOpened(steps), clicked);
  for (const step of steps) values.replaceIn(step);
  values.allocate();
  const whole = steps.map((step) => values.replaceIn(step));
  const uses = values.list();
  const slotted = whole.map((step) => embed(step, uses, prompt) as Step);
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

/** The names of elements that are not values themselves. */
function listClicked(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if ("steps" in step) return listClicked(step.steps);
    const [[kind = "", target] = []] = Object.entries(step);
    const isClicked = ON_ELEMENTS.has(kind) && kind !== "open" && typeof target !== "boolean";
    return isClicked ? [toTarget(target as string | Target).name ?? ""] : [];
  });
}

/** Texts in which a value may be a part: "Remove Brindle Kettle". */
const EMBEDDING: ReadonlySet<string> = new Set([
  "text",
  "no_text",
  "name",
  "row",
  "no_row",
  "section",
  "form",
  "value",
]);
const MIN_EMBEDDED = 3;

/** Replaces values that are part of longer texts. A short number may be there by chance. */
function embed(part: unknown, uses: readonly Use[], prompt: string): unknown {
  if (Array.isArray(part)) return part.map((each) => embed(each, uses, prompt));
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) => {
    if (typeof value !== "string" || !(EMBEDDING.has(key) || ON_ELEMENTS.has(key)))
      return [key, embed(value, uses, prompt)];
    const longest = uses.toSorted((one, other) => other.end - other.start - (one.end - one.start));
    return [
      key,
      longest.reduce((text, { start, end, name }) => replaceWords(text, prompt.slice(start, end), name), value),
    ];
  });
  return Object.fromEntries(entries);
}

function replaceWords(text: string, value: string, name: string): string {
  const slots = [...text.matchAll(/<[a-z0-9_]+>/g)].map(({ 0: slot, index }) => ({
    start: index,
    end: index + slot.length,
  }));
  const isFree = (place: PromptPlace) => !slots.some((slot) => isWithin(place, slot));
  const places = value.length < MIN_EMBEDDED ? [] : findInPrompt(value, text).filter(isFree);
  return places.reduceRight((left, { start, end }) => `${left.slice(0, start)}<${name}>${left.slice(end)}`, text);
}

function isWithin(part: PromptPlace, whole: PromptPlace): boolean {
  return whole.start <= part.start && part.end <= whole.end;
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

interface SlotOptions {
  readonly kind?: VariableKind | null;
  /** Whether it is searched for, so that nothing lasting comes of it. */
  readonly isSearch?: boolean;
}

/** A text that may get a slot, if the prompt has it. */
interface Candidate {
  readonly text: string;
  /** What to call it. */
  readonly wanted: string;
  readonly kind: VariableKind | null;
}

/** Collects the values that steps use; then, once slots are allocated, replaces them. */
class SlotCollector {
  readonly #prompt: string;
  readonly #opened: readonly string[];
  readonly #clicked: readonly PromptPlace[];
  readonly #candidates: Candidate[] = [];
  readonly #uses: Use[] = [];
  #isAllocated = false;

  /**
   * `opened`: what is opened by its name. It is called an item, also where it is searched for. `clicked`: where the prompt has
   * the names of what is clicked.
   */
  constructor(prompt: string, opened: readonly string[], clicked: readonly PromptPlace[]) {
    this.#prompt = prompt;
    this.#opened = opened;
    this.#clicked = clicked;
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
    const isSearch = toTarget(target).role === "search field";
    return { ...fill, target: this.#inTarget(target), value: this.#slot(String(value), nameOf(target), { isSearch }) };
  }

  #inSelect(select: StepOf<"select">["select"]): StepOf<"select">["select"] {
    const { target, value } = select;
    const name = target === undefined ? "choice" : nameOf(target);
    return { ...select, value: this.#slot(String(value), name, { kind: "choice" }) };
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

  #inComparison<Comparison extends object>(comparison: Comparison): Comparison {
    const { column, ...tests } = comparison as Record<string, string | number | boolean>;
    const slotted = Object.entries(tests).map(([test, value]) => [
      test,
      this.#slot(String(value), String(column ?? "value")),
    ]);
    return { ...comparison, ...Object.fromEntries(slotted) };
  }

  /** Longer texts first: "Brindle Kettle" is one value, and "kettle" a part of it. */
  allocate(): void {
    const sorted = this.#candidates.toSorted((one, other) => tokenize(other.text).length - tokenize(one.text).length);
    for (const candidate of sorted) this.#allocate(candidate);
    this.#isAllocated = true;
  }

  #allocate({ text, wanted, kind }: Candidate): void {
    // "Search for kettle, open Brindle Kettle": the first is a value of its own.
    const places = findInPrompt(text, this.#prompt).filter((each) => this.#findAround(each) === undefined);
    const again =
      places.length > 1 && text.length >= MIN_EMBEDDED
        ? places.filter((each) => this.#clicked.some((name) => isWithin(each, name)))
        : [];
    const [place, ...others] = places.filter((each) => !again.includes(each));
    if (place === undefined || others.length > 0 || !/[\p{L}\p{N}]/u.test(text)) return;
    const variable = this.#describe(this.#prompt.slice(place.start, place.end), place, kind);
    if (variable === null) return;
    const name = this.#nameFor(this.#opened.some((each) => isSameText(each, text)) ? "item" : wanted);
    this.#uses.push(...[place, ...again].map((each) => ({ ...each, name, variable })));
  }

  #findAround({ start, end }: PromptPlace): Use | undefined {
    return this.#uses.find((use) => start < use.end && use.start < end);
  }

  /** The slot of the text; the text as it is when it does not come from the prompt, or could be several things. */
  #slot(text: string, wanted: string, { kind = null, isSearch = false }: SlotOptions = {}): string {
    if (!this.#isAllocated) this.#candidates.push({ text, wanted, kind });
    const known = this.#uses.find(({ start, end }) => isSameText(this.#prompt.slice(start, end), text));
    if (known !== undefined) return `<${known.name}>`;
    const places = findInPrompt(text, this.#prompt);
    const around = places.map((place) => this.#findAround(place)).find((use) => use !== undefined);
    if (around === undefined) return text;
    // Whoever searches for the whole of it finds it too; and if not, the run stops there.
    if (isSearch && places.length === 1) return `<${around.name}>`;
    throw new NotLearnable(`"${text}" is only a part of a value of the prompt.`);
  }

  /** In quotation marks a text may be anything; otherwise about as long as this one, and one thing only. */
  #describe(value: string, { start, end }: PromptPlace, kind: VariableKind | null): Variable | null {
    const closing = QUOTES[this.#prompt[start - 1] ?? ""];
    const isQuoted = closing !== undefined && closing === this.#prompt[end];
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
