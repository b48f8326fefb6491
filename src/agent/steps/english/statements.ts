import type { StepOf } from "../step.ts";
import { isOr, type Token, textOf } from "./clauses.ts";
import { createForms, type Form, readFirst } from "./pattern.ts";
import { nameOf, readTarget } from "./targets.ts";

type Statement = StepOf<"expect">["expect"];

const COMPARING = new Set(
  "not below under over above less more fewer at between before after greater higher lower cheaper empty up no exactly around about only".split(
    " ",
  ),
);

/** "at least €50", which compares. */
export function isComparing([first]: readonly Token[]): boolean {
  return COMPARING.has(first?.word ?? "");
}

const statementForm = createForms({
  name: nameOf,
  target: readTarget,
  /** "the price is below 20" compares, which is no value that a field holds. */
  value: (tokens, prompt) => (isComparing(tokens) ? null : textOf(tokens, prompt)),
});

const STATEMENTS: readonly Form<Statement>[] = [
  "(it|the page|this page|there) (does not say|does not show|doesn't say|doesn't show|does not contain) {no_text:name}",
  "(it|the page|this page|the site) (says|shows|contains|reads|displays|mentions) {text:name}",
  "the url (contains|is|has) {url:name}",
  "there is (no|not a|not any) (row|entry|item) [for|called|named|with] {no_row:name}",
  "there is (a|an|the) (row|entry|item) [for|called|named|with] {row:name}",
  "there is (no|not a|not any) {no_text:name}",
  "there is [a|an|the] {text:name}",
  "{no_text:name} is (not shown|not visible|not there|gone|not on the page)",
  "{text:name} is (shown|visible|there|on the page|displayed)",
  "{field:target} (is|contains|holds|says|shows) {value}",
].map((source) => statementForm(source));

/** What "check that" and "if" are followed by. */
export function readStatement(tokens: readonly Token[], prompt: string): Statement | null {
  return tokens.some(isOr) ? null : readFirst(STATEMENTS, tokens, prompt);
}
