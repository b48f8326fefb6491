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

/** The words are no name of one thing: "all invoices", "T-1 not". */
const NOT_ONE =
  /^(?:all|every|each|any|both|some|most|many|none|no|not|never|neither|still|yet|already|ever|always|only|also|partly|partially|fully)$/;
/** What may have been so, and is so no longer: only what has happened stays. */
const HAPPENED = /^(?!enabled|disabled|activated|closed|opened|hidden)(?:\p{L}{2,}ed|(?:un)?paid)$/u;

/**
 * "two-factor authentication enabled", "the Lamp in stock": a thing and its state. Null for several things, of which a page
 * may show only some: "Are the invoices paid?". "Notifications" without an article is one setting.
 */
export function readWhether([copula, ...tokens]: readonly Token[], prompt: string): Step[] | null {
  if (tokens[0]?.word === "there") return null;
  for (let length = Math.min(LONGEST_STATE, tokens.length - 1); length > 0; length--) {
    const state = tokens.slice(-length);
    const said = state.map(({ word }) => word).join(" ");
    if (!STATES.test(said) || state.some(({ kind }) => kind === "quoted")) continue;
    if (/^(?:was|were)$/.test(copula?.word ?? "") && !HAPPENED.test(said)) return null;
    const about = tokens.slice(0, -length);
    if (!isOneThing(about, copula?.word ?? "")) return null;
    const row = readSubject(about, prompt);
    const whether = said.replace(/^(?:turned|switched) /, "");
    return [{ read: { as: `${row ?? "it"} is ${said}`, ...(row === null ? {} : { row }), whether } }];
  }
  return null;
}

function isOneThing(about: readonly Token[], copula: string): boolean {
  if (about.some(({ word, text }) => word === text && NOT_ONE.test(word))) return false;
  const last = about.at(-1);
  const isName = last?.kind === "quoted" || /^(?!these$|those$|they$)\p{Ll}/u.test(last?.text ?? "");
  return (copula !== "are" && copula !== "were") || (isName && stripArticles(about).length === about.length);
}

const PREPOSITIONS = new Set("in on under below at of for from with to by near".split(" "));
/** Says nothing about what happens. */
const AUXILIARY = /^(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|may|might|should|must)$/;

/** "the trial end" and "ticket 12 owns": the thing, and last what happens to it or who does something with it. */
export function readHappening(
  tokens: readonly Token[],
  prompt: string,
  kind: "when" | "who",
  { isPast = false, isTo = false } = {},
): Step | null {
  const verb = tokens.at(-1);
  if (tokens.length < 2 || verb?.kind !== "word" || !/^\p{L}{3,}$/u.test(verb.word) || AUXILIARY.test(verb.word))
    return null;
  // "T-1 be delivered", "it last updated"
  const end = tokens.at(-2)?.word === "be" || (isPast && tokens.at(-2)?.word === "last") ? -2 : -1;
  const about = tokens.slice(0, end);
  // "when does it renew under Billing": the verb stands before a place. "who pays for T-1" is not who pays T-1.
  const outer = [about.at(-1), ...(kind === "who" ? [about[0]] : [])];
  if (outer.some((token) => token === undefined || PREPOSITIONS.has(token.word))) return null;
  if (about.some(({ word, text }) => word === text && NOT_ONE.test(word))) return null;
  const row = readSubject(about, prompt);
  const said = isTo ? `${verb.word} to` : verb.word;
  const as = kind === "who" ? `who ${said} ${row ?? "it"}` : `when ${row ?? "it"} ${said}`;
  return { read: { as, ...(row === null ? {} : { row }), [kind]: said, ...(isPast ? { past: true } : {}) } };
}
