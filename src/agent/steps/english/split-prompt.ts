import type { StepOf } from "../step.ts";
import { type Clause, splitClauses, type Token, tokenize } from "./clauses.ts";
import { isVerb } from "./grammar.ts";
import { createForms, type Form, readFirst } from "./pattern.ts";
import { isQuestionWord } from "./questions.ts";
import { nameOf, readTarget } from "./targets.ts";

/** The clauses of a prompt: one for each step, and one for each place that steps happen at. */
export function splitPrompt(prompt: string): Clause[] {
  return splitClauses(tokenize(prompt), beginsClause).flatMap((clause) => {
    const { tokens, endsSentence } = clause;
    const at = findInnerClause(tokens, prompt);
    const parts = [tokens.slice(0, at), tokens.slice(at)];
    return at === -1
      ? [clause]
      : parts.map((part, index) => ({ tokens: part, endsSentence: endsSentence && index > 0 }));
  });
}

/** Where a clause begins without a comma: 'In the row of "Larch" click Edit', "click Next until there is no next page". */
function findInnerClause(tokens: readonly Token[], prompt: string): number {
  if (isPlace(tokens))
    return tokens.findIndex((_, index) => tokens[index - 1]?.kind === "quoted" && beginsClause(tokens.slice(index)));
  const at = tokens.findIndex(({ word }, index) => index > 0 && word === "until");
  // In "wait until" and "orders until May" it belongs to the step.
  const isStop = tokens[0]?.word !== "wait" && readStop(tokens.slice(Math.max(at, 0)), prompt) !== null;
  return isStop ? at : -1;
}

/** "In the row of Larch", which is no step. */
export function isPlace([first, second]: readonly Token[]): boolean {
  const word = first?.word ?? "";
  return PLACE_WORDS.has(word) || ((word === "on" || word === "from") && second?.word === "the");
}

function beginsClause(rest: readonly Token[]): boolean {
  const [first, second] = rest;
  if (first === undefined || first.kind !== "word") return false;
  const { word } = first;
  if (isQuestionWord(word) || word === "if" || word === "until" || word === "repeat") return true;
  if (isNoun(word, second)) return false;
  const seconds = SECOND_WORDS.get(word);
  if (seconds !== undefined) return seconds.includes(second?.word ?? "");
  return isVerb(word);
}

const form = createForms({ name: nameOf, target: readTarget });
const STOPS: readonly Form<Stop>[] = [
  form("until (it|the page) (says|shows) {text:name}"),
  form("until there is no [more] (next|next page)", () => ({ gone: { role: "next page" } })),
  form("until there is no [more] {gone:target}"),
  form("until {gone:target} (is gone|disappears|has gone|is disabled|is not there)"),
];

type Stop = StepOf<"repeat_until">["repeat_until"];

/** "until there is no next page"; null for other words. */
export function readStop(tokens: readonly Token[], prompt: string): Stop | null {
  return readFirst(STOPS, tokens, prompt);
}

/** Nouns and names as often as verbs: they begin a clause only where another word of a form follows. */
const SECOND_WORDS = new Map(
  Object.entries({
    sign: ["in", "out"],
    log: ["in", "out"],
    look: ["for", "up"],
    find: ["out", "the", "all"],
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

const NOUN_FOLLOWERS = new Set("of for is are was were whose where and".split(" "));
const VERBS_WITH_FOR = new Set(["search", "look", "wait"]);

/** "the title and type of all tickets": a verb is not followed by "of". */
function isNoun(word: string, next: Token | undefined): boolean {
  return (
    next !== undefined &&
    NOUN_FOLLOWERS.has(next.word) &&
    !(next.word === "for" && VERBS_WITH_FOR.has(word)) &&
    !isQuestionWord(word) &&
    isVerb(word) &&
    !(next.word === "and" && ENDS_ALONE.has(word))
  );
}

/** Verbs that are a whole clause. */
const ENDS_ALONE = new Set(["save", "submit", "reload", "refresh", "confirm", "accept"]);

const PLACE_WORDS = new Set(["in", "under", "below", "next"]);
