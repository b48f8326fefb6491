import { isStep } from "../check-steps.ts";
import type { Step } from "../step.ts";
import { type Clause, isOr, splitClauses, type Token, textOf, tokenize } from "./clauses.ts";
import { GRAMMAR, type Rule, readClause, readStatement } from "./grammar.ts";
import { firstWords, matchPattern, parsePattern } from "./pattern.ts";
import { isQuestionWord } from "./questions.ts";
import { addScope, isOpenIt, targetOf } from "./refine-steps.ts";
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

/** By first word, so that a clause is compared with few forms. */
const RULES_BY_WORD = new Map<string, Rule[]>();
for (const rule of GRAMMAR) {
  for (const word of new Set(firstWords(rule.pattern))) {
    const known = RULES_BY_WORD.get(word);
    if (known === undefined) RULES_BY_WORD.set(word, [rule]);
    else known.push(rule);
  }
}

/** Nouns and names as often as verbs: they begin a clause only where another word of a form follows. */
const SECOND_WORDS = new Map(
  Object.entries({
    sign: ["in", "out"],
    log: ["in", "out"],
    look: ["for", "up"],
    find: ["out"],
    work: ["out"],
    turn: ["on", "off"],
    switch: ["on", "off"],
    move: ["the"],
    make: ["sure"],
    for: ["each", "every"],
    in: ["the"],
    point: ["at", "to"],
  }),
);

/**
 * Understands a prompt as steps, all of it or nothing. Time grows with the length of the text only: no text of 20,000
 * characters takes more than a few milliseconds.
 */
export function readPrompt(prompt: string): PromptReading {
  const clauses = splitClauses(tokenize(prompt), beginsClause);
  const reader = new PromptReader(prompt, clauses.slice(0, MAX_CLAUSES), true);
  const beyond = clauses[MAX_CLAUSES];
  if (beyond !== undefined) {
    return reader.refuse(beyond, `A prompt can have up to ${MAX_CLAUSES} steps.`);
  }
  return reader.read();
}

/** Whether a sentence that may be suggested works. */
function isUnderstood(sentence: string): boolean {
  return new PromptReader(sentence, splitClauses(tokenize(sentence), beginsClause), false).read().kind === "steps";
}

function beginsClause(rest: readonly Token[]): boolean {
  const [first, second] = rest;
  if (first === undefined || first.kind !== "word") return false;
  const { word } = first;
  if (isQuestionWord(word) || word === "if" || word === "until" || word === "repeat") return true;
  if (isNoun(word, second)) return false;
  const seconds = SECOND_WORDS.get(word);
  if (seconds !== undefined) return seconds.includes(second?.word ?? "");
  return RULES_BY_WORD.has(word);
}

const NOUN_FOLLOWERS = new Set(["of", "for", "is", "are", "was", "were", "whose", "where", "and"]);
const VERBS_WITH_FOR = new Set(["search", "look", "wait"]);

/** "the title and type of all tickets": a verb is not followed by "of". */
function isNoun(word: string, next: Token | undefined): boolean {
  return (
    next !== undefined &&
    NOUN_FOLLOWERS.has(next.word) &&
    !(next.word === "for" && VERBS_WITH_FOR.has(word)) &&
    !isQuestionWord(word) &&
    RULES_BY_WORD.has(word) &&
    !(next.word === "and" && ENDS_ALONE.has(word))
  );
}

/** Verbs that are a whole clause. */
const ENDS_ALONE = new Set(["save", "submit", "reload", "refresh", "confirm", "accept"]);

const PLACE_WORDS = new Set(["in", "under", "below", "next"]);
const FOR_EACH = parsePattern(
  "for (each|every) (link|entry|row|item|result|one) [in|of|under] [the] [table|list|section] {list}",
);
const FOR_EACH_OF = parsePattern("for (each|every) of the {list}");
const FOR_EACH_PLAIN = parsePattern("for (each|every) {list}");
const SCOPE = parsePattern("(in|on|from|under) the (table|list|section) [called|named|of] {list}");
const SCOPE_NAMED = parsePattern("(in|on|from|under) the {list} (table|list|section)");
const SCOPE_PLAIN = parsePattern("(in|on|from) the (table|list|page)");
const THOSE_TOO = parsePattern("(list|collect|extract|get|add) (those|these|them) [too|as well]");
const UNTIL_NONE = parsePattern("until there is no [more] {target}");
const UNTIL_GONE = parsePattern("until {target} (is gone|disappears|has gone|is disabled|is not there)");
const UNTIL_TEXT = parsePattern("until (it|the page) (says|shows) {text}");
const UNTIL_LAST = parsePattern("until the (last|final) page");
const REPEAT = parsePattern("repeat [this|that|it|the following]");

/** Reads the clauses in order. `if`, `for each` and `repeat` take the rest of their sentence as their body. */
class PromptReader {
  readonly #prompt: string;
  readonly #clauses: readonly Clause[];
  readonly #makesSuggestions: boolean;
  readonly #read: ReadStepClause[] = [];
  #at = 0;
  /** The table or list that the next question is about. */
  #scope: string | null = null;
  /** "In the row of Larch, …": where the rest of the sentence happens. */
  #place: readonly Token[] = [];

  constructor(prompt: string, clauses: readonly Clause[], makesSuggestions: boolean) {
    this.#prompt = prompt;
    this.#clauses = clauses;
    this.#makesSuggestions = makesSuggestions;
  }

  read(): PromptReading {
    while (this.#at < this.#clauses.length) {
      const refusal = this.#readNext();
      if (refusal !== null) return refusal;
    }
    return { kind: "steps", steps: this.#read };
  }

  refuse({ tokens }: Clause, why: string): PromptReading {
    const suggestion = this.#makesSuggestions ? suggest(tokens, this.#prompt, isUnderstood) : null;
    return { kind: "refused", clause: quoteClause(tokens, this.#prompt), why, understood: this.#read, suggestion };
  }

  /** Null when it went well. */
  #readNext(): PromptReading | null {
    const clause = this.#clauses[this.#at] as Clause;
    const { tokens } = clause;
    this.#at += 1;
    if (tokens.length > MAX_TOKENS) {
      return this.refuse(
        clause,
        "It is too long for one step: put the text that is meant literally into quotation marks.",
      );
    }
    const scope = this.#readScope(tokens);
    if (scope !== null) {
      this.#scope = scope;
      return null;
    }
    if (PLACE_WORDS.has(tokens[0]?.word ?? "")) return this.#readPlace(clause);
    if (tokens[0]?.word === "if") return this.#readIf(clause);
    if (tokens[0]?.word === "for") return this.#readForEach(clause);
    if (tokens[0]?.word === "until") return this.#readUntil(clause);
    if (matchPattern(REPEAT, tokens) !== null) return this.#readRepeat(clause);
    const steps = this.#readThoseToo(tokens) ?? this.#readPlaced(tokens) ?? this.#readPlain(tokens);
    if (clause.endsSentence) this.#place = [];
    const scoped = steps === null ? null : this.#withScope(steps);
    if (scoped === null) return this.refuse(clause, explain(tokens));
    return this.#add(scoped, clause);
  }

  /** Sentences must not say more than files can. */
  #add(steps: readonly Step[], clause: Clause): PromptReading | null {
    if (!steps.every(isStep)) {
      const problem =
        "A name, text or number in it is too long, of the wrong kind or missing, or too many steps are nested.";
      return this.refuse(clause, problem);
    }
    const said = textOf(clause.tokens, this.#prompt);
    for (const step of steps) this.#read.push({ step: this.#resolveIt(step), said });
    return null;
  }

  /** "Hover over Products and click it": the element of the step before. */
  #resolveIt(step: Step): Step {
    const before = this.#read.at(-1)?.step;
    const earlier = before === undefined ? null : targetOf(before);
    const own = targetOf(step);
    if (earlier === null || own === null || own.role !== undefined || !/^(?:it|them)$/i.test(own.name ?? ""))
      return step;
    const [kind = "click"] = Object.keys(step);
    return { [kind]: earlier } as Step;
  }

  /** "In the row of Larch, click Edit" says the same as "Click Edit in the row of Larch". */
  #readPlace(clause: Clause): PromptReading | null {
    const { tokens } = clause;
    const at = tokens.findIndex(({ kind }, index) => kind === "quoted" && beginsClause(tokens.slice(index + 1)));
    this.#place = at === -1 ? tokens : tokens.slice(0, at + 1);
    const rest = at === -1 ? [] : tokens.slice(at + 1);
    if (rest.length === 0 && !clause.endsSentence) return null;
    const steps = rest.length === 0 ? null : this.#readPlaced(rest);
    if (clause.endsSentence) this.#place = [];
    if (steps === null) return this.refuse(clause, "It names a place on the page, and does not say what to do there.");
    return this.#add(steps, clause);
  }

  #readPlaced(tokens: readonly Token[]): Step[] | null {
    return this.#place.length === 0 ? null : this.#readPlain([...tokens, ...this.#place]);
  }

  #readPlain(tokens: readonly Token[]): Step[] | null {
    const inner = this.#splitUntil(tokens);
    if (inner !== null) return inner;
    return readClause(tokens, this.#prompt, RULES_BY_WORD.get(tokens[0]?.word ?? "") ?? []);
  }

  /** "click Next until there is no next page". */
  #splitUntil(tokens: readonly Token[]): Step[] | null {
    const at = tokens.findIndex(({ word }, index) => index > 0 && word === "until");
    const isWait = tokens[0]?.word === "wait";
    if (at === -1 || isWait) return null;
    const steps = readClause(tokens.slice(0, at), this.#prompt, RULES_BY_WORD.get(tokens[0]?.word ?? "") ?? []);
    const [list] = steps ?? [];
    const stop = this.#readStop(tokens.slice(at));
    if (steps === null || stop === null) return null;
    return list !== undefined && "collect" in list && "gone" in stop
      ? [{ collect: { ...list.collect, pages: "all" } }]
      : [repeat(steps, stop)];
  }

  #readScope(tokens: readonly Token[]): string | null {
    if (matchPattern(SCOPE_PLAIN, tokens) !== null) return "";
    const list = (matchPattern(SCOPE, tokens) ?? matchPattern(SCOPE_NAMED, tokens))?.["list"];
    return list === undefined ? null : nameOf(list, this.#prompt);
  }

  /** Null when the steps cannot be about a table or section. */
  #withScope(steps: readonly Step[]): Step[] | null {
    const scope = this.#scope;
    this.#scope = null;
    const scoped = steps.map((step) => (scope === null || scope === "" ? step : addScope(step, scope)));
    return scoped.every((step) => step !== null) ? scoped : null;
  }

  /** The clauses up to the end of the sentence, as steps. */
  #readBody(clause: Clause): Step[] | PromptReading {
    const before = this.#read.length;
    let last = clause;
    while (!last.endsSentence && this.#at < this.#clauses.length) {
      last = this.#clauses[this.#at] as Clause;
      const refusal = this.#readNext();
      if (refusal !== null) return refusal;
    }
    return this.#read.splice(before).map(({ step }) => step);
  }

  #readIf(clause: Clause): PromptReading | null {
    const statement = readStatement(clause.tokens.slice(1), this.#prompt);
    if (statement === null)
      return this.refuse(
        clause,
        clause.tokens.some(isOr)
          ? explain(clause.tokens)
          : 'After "if", say what the page says or which field holds what.',
      );
    const body = this.#readBody(clause);
    if (!Array.isArray(body)) return body;
    if (body.length === 0) return this.refuse(clause, 'After "if …", say what to do then, in the same sentence.');
    return this.#add([{ if: statement, steps: body }], clause);
  }

  #readForEach(clause: Clause): PromptReading | null {
    const { tokens } = clause;
    const slots =
      matchPattern(FOR_EACH, tokens) ?? matchPattern(FOR_EACH_OF, tokens) ?? matchPattern(FOR_EACH_PLAIN, tokens);
    if (slots === null) return this.refuse(clause, 'After "for each", name the table or list.');
    const list = nameOf(slots["list"] ?? [], this.#prompt).replace(
      /^links? (?:in|of|under|to) (?:the )?(?:(?:table|list|section) )?/i,
      "",
    );
    const body = this.#readBody(clause);
    if (!Array.isArray(body)) return body;
    const steps = body.filter((step) => !isOpenIt(step));
    if (steps.length === 0)
      return this.refuse(clause, 'After "for each …", say what to do with each, in the same sentence.');
    const isGeneric = /^(?:links?|entries|rows?|items?|results?)$/.test(list);
    return this.#add([{ for_each: isGeneric ? {} : { list }, steps }], clause);
  }

  #readRepeat(clause: Clause): PromptReading | null {
    const body = this.#readBody(clause);
    if (!Array.isArray(body)) return body;
    const [only] = body;
    if (body.length === 1 && only !== undefined && "repeat_until" in only) {
      return this.#add([only], clause);
    }
    return this.refuse(clause, 'Say when to stop: "repeat: …, until there is no next page".');
  }

  /** "…, until there is no next page" is about all steps of the sentence so far; a list is read on all of its pages. */
  #readUntil(clause: Clause): PromptReading | null {
    const stop = this.#readStop(clause.tokens);
    const last = this.#read.at(-1);
    if (stop === null || last === undefined) {
      return this.refuse(clause, 'Say when to stop: "until there is no next page" or "until the page says Done".');
    }
    this.#read.pop();
    const { step } = last;
    return "collect" in step && "gone" in stop
      ? this.#add([{ collect: { ...step.collect, pages: "all" } }], clause)
      : this.#add([repeat([step], stop)], clause);
  }

  #readStop(tokens: readonly Token[]): Stop | null {
    if (matchPattern(UNTIL_LAST, tokens) !== null) return { gone: { name: "Next" } };
    const text = matchPattern(UNTIL_TEXT, tokens)?.["text"];
    if (text !== undefined) return { text: nameOf(text, this.#prompt) };
    const target = (matchPattern(UNTIL_NONE, tokens) ?? matchPattern(UNTIL_GONE, tokens))?.["target"];
    const element = target === undefined ? null : readTarget(target, this.#prompt);
    if (element === null) return null;
    return /^next(?: page)?$/i.test(element.name ?? "") ? { gone: { role: "next page" } } : { gone: element };
  }

  /** The same request for what is on the page now. */
  #readThoseToo(tokens: readonly Token[]): Step[] | null {
    if (matchPattern(THOSE_TOO, tokens) === null) return null;
    const earlier = this.#read.findLast(({ step }) => "collect" in step)?.step;
    if (earlier === undefined || !("collect" in earlier)) return null;
    const { list: _list, ...same } = earlier.collect;
    return [{ collect: same }];
  }
}

type Stop = Extract<Step, { repeat_until: unknown }>["repeat_until"];

function repeat(steps: Step[], stop: Stop): Step {
  return { repeat_until: stop, steps };
}
