import type { Step } from "../step.ts";
import { type Token, textOf } from "./clauses.ts";
import { stripArticles } from "./targets.ts";

/** What "it" and "the page" stand for in a question: whatever the page is about. */
const PAGE_ITSELF = /^(?:it|this|that|one|(?:the|this) (?:page|product|item))$/i;

/** What a question is about; null for the page itself. */
export function readSubject(tokens: readonly Token[], prompt: string): string | null {
  return PAGE_ITSELF.test(textOf(tokens, prompt)) ? null : textOf(stripArticles(tokens), prompt);
}

const STATES =
  /^(?:\p{L}{2,}ed|on|off|(?:in)?active|(?:un)?available|open|(?:un)?paid|done|due|overdue|late|live|(?:on|off)line|hidden|visible|public|private|empty|full|in stock|out of stock|sold out|on sale|switched (?:on|off)|turned (?:on|off))$/u;
const LONGEST_STATE = 3;

/** "two-factor authentication enabled", "the Lamp in stock": a thing and its state. */
export function readWhether(tokens: readonly Token[], prompt: string): Step[] | null {
  if (tokens[0]?.word === "there") return null;
  for (let length = Math.min(LONGEST_STATE, tokens.length - 1); length > 0; length--) {
    const state = tokens.slice(-length);
    const said = state.map(({ word }) => word).join(" ");
    if (!STATES.test(said) || state.some(({ kind }) => kind === "quoted")) continue;
    const row = readSubject(tokens.slice(0, -length), prompt);
    const whether = said.replace(/^(?:turned|switched) /, "");
    return [{ read: { as: `${row ?? "it"} is ${said}`, ...(row === null ? {} : { row }), whether } }];
  }
  return null;
}

const PREPOSITIONS = new Set("in on under below at of for from with to by near".split(" "));
/** Says nothing about what happens. */
const AUXILIARY = /^(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|may|might|should|must)$/;

/** "the trial end" and "ticket 12 owns": the thing, and last what happens to it or who does something with it. */
export function readHappening(tokens: readonly Token[], prompt: string, kind: "when" | "who"): Step | null {
  const verb = tokens.at(-1);
  if (tokens.length < 2 || verb?.kind !== "word" || !/^\p{L}{3,}$/u.test(verb.word) || AUXILIARY.test(verb.word))
    return null;
  // "when does it renew under Billing": the verb stands before a place.
  if (PREPOSITIONS.has(tokens.at(-2)?.word ?? "")) return null;
  const row = readSubject(tokens.slice(0, -1), prompt);
  const as = kind === "who" ? `who ${verb.word} ${row ?? "it"}` : `when ${row ?? "it"} ${verb.word}`;
  return { read: { as, ...(row === null ? {} : { row }), [kind]: verb.word } };
}
