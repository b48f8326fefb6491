import { isStep } from "../check-steps.ts";
import type { Step, Target } from "../step.ts";
import { type Clause, isOr, type Token, textOf } from "./clauses.ts";
import { readClause } from "./grammar.ts";
import { createForms, matchPattern, parsePattern, readFirst } from "./pattern.ts";
import { type Place, readAt, readPlace, readUnder, targetOf } from "./places.ts";
import { isPlace, readStop, splitPrompt } from "./split-prompt.ts";
import { readStatement } from "./statements.ts";
import { explain, quoteClause, suggest } from "./suggest.ts";
import { nameOf, readTarget } from "./targets.ts";

/** A step and the words it was read from. */
interface ReadStepClause {
  readonly step: Step;
  readonly said: string;
}

export type PromptReading =
  | { readonly kind: "steps"; readonly steps: readonly ReadStepClause[] }
  | {
      readonly kind: "refused";
      /** The clause that is not understood, without passwords. */
      readonly clause: string;
      readonly why: string;
      /** What was understood before it. */
      readonly understood: readonly ReadStepClause[];
      /** The nearest sentence that would work; null when none is near. */
      readonly suggestion: string | null;
    };

const MAX_CLAUSES = 200;
/** A longer clause must put its text into quotation marks. */
const MAX_TOKENS = 120;

/**
 * Understands a prompt as steps, all of it or nothing. Time grows with the length of the text only: no text of 20,000
 * characters takes more than a few milliseconds.
 */
export function readPrompt(prompt: string): PromptReading {
  const { steps, problem } = tryToRead(prompt);
  if (problem === null) return { kind: "steps", steps };
  const { tokens, message: why } = problem;
  const suggestion = suggest(tokens, prompt, (sentence) => tryToRead(sentence).problem === null);
  return { kind: "refused", clause: quoteClause(tokens, prompt), why, understood: steps, suggestion };
}

function tryToRead(prompt: string): { steps: readonly ReadStepClause[]; problem: NotUnderstood | null } {
  const reader = new PromptReader(prompt);
  try {
    reader.readAll();
    return { steps: reader.steps, problem: null };
  } catch (error) {
    if (error instanceof NotUnderstood) return { steps: reader.steps, problem: error };
    throw error;
  }
}

/** The message says why. */
class NotUnderstood extends Error {
  readonly tokens: readonly Token[];

  constructor({ tokens }: Clause, why: string) {
    super(why);
    this.tokens = tokens;
  }
}

/** Says nothing about which one is meant. */
const ON_PAGE = parsePattern("(in|on|from) the (table|list|page|form)");
const form = createForms({ name: nameOf, target: readTarget });
/** A place that is opened first. */
const OTHER_PAGE = form("(in|on|under|from) the {page:name} (page|tab|screen|view)");
const FOR_EACH = [
  form("for (each|every) (link|entry|row|item|result|one) [in|of|under] [the] [table|list|section] {list:name}"),
  form("for (each|every) of the (link|links) (in|of|under|to) [the] [table|list|section] {list:name}"),
  form("for (each|every) of the {list:name}"),
  form("for (each|every) {list:name}"),
];
const ANY_LIST = /^(?:links?|entries|rows?|items?|results?)$/;
const THOSE_TOO = parsePattern("(list|collect|extract|get|add) (those|these|them) [too|as well]");
const NOT_AT_PLACE = "It cannot be done at the place that is named before it.";
const REPEAT = parsePattern("repeat [this|that|it|the following]");

/** "it" instead of the name of an element. */
function isIt(target: Target | null): boolean {
  return target?.role === undefined && /^(?:it|them|each|each one|each of them)$/i.test(target?.name ?? "");
}

/** What a search is expected to find, or the row that was read: "Search for Larch and open it". */
function toRecord(step: Step): Target | null {
  if ("fill" in step) return step.fill.submit === true ? { role: "it", name: String(step.fill.value) } : null;
  return "collect" in step || "read" in step ? { role: "it" } : null;
}

/** Reads the clauses in order. `if`, `for each` and `repeat` take the rest of their sentence as their body. */
class PromptReader {
  readonly steps: ReadStepClause[] = [];
  readonly #prompt: string;
  readonly #clauses: readonly Clause[];
  #at = 0;
  /** "In the row of Larch, …": where the rest of the sentence happens. */
  #place: Place | null = null;
  /** Whether a step has to be there: the first one behind a place. */
  #needsPlace = false;

  constructor(prompt: string) {
    this.#prompt = prompt;
    this.#clauses = splitPrompt(prompt);
  }

  /** Throws NotUnderstood. */
  readAll(): void {
    const beyond = this.#clauses[MAX_CLAUSES];
    if (beyond !== undefined) throw new NotUnderstood(beyond, `A prompt can have up to ${MAX_CLAUSES} steps.`);
    while (this.#at < this.#clauses.length) this.#readNext();
  }

  #readNext(): Clause {
    const clause = this.#clauses[this.#at] as Clause;
    const { tokens } = clause;
    if (this.#clauses[this.#at - 1]?.endsSentence === true) this.#place = null;
    this.#at += 1;
    if (tokens.length > MAX_TOKENS)
      throw new NotUnderstood(
        clause,
        "It is too long for one step: put the text that is meant literally into quotation marks.",
      );
    if (isPlace(tokens)) this.#enterPlace(clause);
    else this.#add(this.#readSteps(clause), clause);
    return clause;
  }

  #readSteps(clause: Clause): readonly Step[] {
    const { tokens } = clause;
    const word = tokens[0]?.word;
    const why = this.#needsPlace ? NOT_AT_PLACE : explain(tokens);
    if (this.#needsPlace && (word === "if" || word === "for")) throw new NotUnderstood(clause, why);
    if (word === "if") return this.#readIf(clause);
    if (word === "for") return this.#readForEach(clause);
    if (word === "until") return this.#readUntil(clause);
    if (matchPattern(REPEAT, tokens) !== null) return this.#readRepeat(clause);
    return demand(this.#readPlaced(tokens) ?? this.#readSameVerb(clause), clause, why);
  }

  /** "Click Orders, then T-1": what is only named after "then" is clicked or opened like what was named before it. */
  #readSameVerb({ tokens }: Clause): Step[] | null {
    const [first] = tokens;
    const before = this.#clauses[this.#at - 2];
    const step = this.steps.at(-1)?.step ?? {};
    const [kind = ""] = Object.keys(step);
    if (first === undefined || before === undefined || before.endsSentence || this.#needsPlace) return null;
    const joint = this.#prompt.slice(before.tokens.at(-1)?.end, first.start);
    const isName = first.kind === "quoted" || /^[\p{Lu}\d]/u.test(first.text);
    const target = isName && /\bthen\b/i.test(joint) && !tokens.some(isOr) ? readTarget(tokens, this.#prompt) : null;
    return target !== null && (kind === "click" || kind === "open") ? [{ [kind]: target } as Step] : null;
  }

  /** Sentences must not say more than files can. */
  #add(steps: readonly Step[], clause: Clause): void {
    if (!steps.every(isStep))
      throw new NotUnderstood(
        clause,
        "A name, text or number in it is too long, of the wrong kind or missing, or too many steps are nested.",
      );
    const said = textOf(clause.tokens, this.#prompt);
    for (const step of steps) this.steps.push({ step: this.#resolveIt(step), said });
  }

  /** "Hover over Products and click it": the element of the step before. */
  #resolveIt(step: Step): Step {
    const before = this.steps.at(-1)?.step;
    const earlier = before === undefined ? null : (targetOf(before) ?? toRecord(before));
    const [kind = "click"] = Object.keys(step);
    return earlier !== null && isIt(targetOf(step)) ? ({ [kind]: earlier } as Step) : step;
  }

  /** "In the row of Larch, click Edit" says the same as "Click Edit in the row of Larch". */
  #enterPlace(clause: Clause): void {
    if (clause.endsSentence || this.#needsPlace)
      throw new NotUnderstood(clause, "It names a place on the page, and does not say what to do there.");
    const { page } = OTHER_PAGE.read(clause.tokens, this.#prompt) ?? {};
    if (page !== undefined) {
      this.#add([{ open: { role: "page", name: page } }], clause);
      return;
    }
    const isAnywhere = matchPattern(ON_PAGE, clause.tokens) !== null;
    this.#place = isAnywhere ? null : readPlace(clause.tokens, this.#prompt);
    this.#needsPlace = !isAnywhere;
  }

  #readPlaced(tokens: readonly Token[]): Step[] | null {
    const those = this.#needsPlace ? null : this.#readThoseToo(tokens);
    if (those !== null || this.#place === null) return those ?? readClause(tokens, this.#prompt);
    const steps =
      readAt(this.#place, tokens, this.#prompt, this.#needsPlace) ??
      (this.#needsPlace ? readUnder(this.#place, tokens, this.#prompt) : null);
    // Only one step is in a field: "In the Quantity field, enter 5 and click Save".
    if (this.#place.area === null) this.#place = null;
    this.#needsPlace = false;
    return steps;
  }

  /** The clauses up to the end of the sentence, as steps. */
  #readBody(clause: Clause): Step[] {
    const before = this.steps.length;
    let last = clause;
    while (!last.endsSentence && this.#at < this.#clauses.length) last = this.#readNext();
    return this.steps.splice(before).map(({ step }) => step);
  }

  #readIf(clause: Clause): Step[] {
    const { tokens } = clause;
    const why = tokens.some(isOr) ? explain(tokens) : 'After "if", say what the page says or which field holds what.';
    const statement = demand(readStatement(tokens.slice(1), this.#prompt), clause, why);
    const steps = this.#readBody(clause);
    demand(steps[0], clause, 'After "if …", say what to do then, in the same sentence.');
    return [{ if: statement, steps }];
  }

  #readForEach(clause: Clause): Step[] {
    const found = readFirst(FOR_EACH, clause.tokens, this.#prompt);
    const each = demand(found, clause, 'After "for each", name the table or list.');
    // "open it" is what for_each does anyway.
    const opens = (step: Step) => ("open" in step || "click" in step) && isIt(targetOf(step));
    const steps = this.#readBody(clause).filter((step) => !opens(step));
    demand(steps[0], clause, 'After "for each …", say what to do with each, in the same sentence.');
    return [{ for_each: ANY_LIST.test(each.list) ? {} : each, steps }];
  }

  #readRepeat(clause: Clause): Step[] {
    const [only, ...more] = this.#readBody(clause);
    const isWhole = only !== undefined && more.length === 0 && "repeat_until" in only;
    return [demand(isWhole ? only : null, clause, 'Say when to stop: "repeat: …, until there is no next page".')];
  }

  /** "…, until there is no next page" repeats the steps of the clause before; a list is read on all of its pages. */
  #readUntil(clause: Clause): Step[] {
    const why = 'Say when to stop: "until there is no next page" or "until the page says Done".';
    const stop = demand(readStop(clause.tokens, this.#prompt), clause, why);
    const { said, step } = demand(this.steps.at(-1), clause, why);
    const before = this.steps.findLastIndex((earlier) => earlier.said !== said);
    const steps = this.steps.splice(before + 1).map(({ step: own }) => own);
    return "collect" in step && "gone" in stop
      ? [{ collect: { ...step.collect, pages: "all" } }]
      : [{ repeat_until: stop, steps }];
  }

  /** The same request for what is on the page now. */
  #readThoseToo(tokens: readonly Token[]): Step[] | null {
    if (matchPattern(THOSE_TOO, tokens) === null) return null;
    const earlier = this.steps.findLast(({ step }) => "collect" in step)?.step;
    if (earlier === undefined || !("collect" in earlier)) return null;
    const { list: _list, ...same } = earlier.collect;
    return [{ collect: same }];
  }
}

function demand<Read>(read: Read | null | undefined, clause: Clause, why: string): Read {
  if (read === null || read === undefined) throw new NotUnderstood(clause, why);
  return read;
}
