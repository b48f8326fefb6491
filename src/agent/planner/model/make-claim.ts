import type { Extraction } from "../../extraction/fact.ts";
import { toOneLine } from "../../prompting/one-line.ts";
import type { Claim, Condition, Task } from "../planner.ts";
import { dropToday } from "./drop-today.ts";
import type { Evidence } from "./evidence.ts";
import { findGaps, type GroundedFact, type Proof } from "./find-gaps.ts";
import { findUnstatedNumber } from "./find-unstated-number.ts";
import { formsOf, groundFact, type StatedFact } from "./ground-fact.ts";
import type { Notebook } from "./notebook.ts";

/** What a model says when it says that it is done. */
export interface StatedClaim {
  readonly answer: string;
  readonly facts?: readonly StatedFact[] | undefined;
  /** Ids of notes. */
  readonly notes?: readonly string[] | undefined;
  readonly proofs?: readonly StatedProof[] | undefined;
}

interface StatedProof {
  readonly text?: string | undefined;
  readonly field?: string | undefined;
  readonly value?: string | undefined;
}

export interface ClaimGrounds {
  readonly task: Task;
  readonly evidence: Evidence;
  readonly notebook: Notebook;
  /** What was entered into fields. */
  readonly entered: readonly Condition[];
  readonly extraction: Extraction | null;
  /** Whether anything was clicked, entered or chosen. */
  readonly hasActed: boolean;
}

export type MadeClaim =
  | { readonly kind: "claim"; readonly claim: Claim }
  | { readonly kind: "refused"; readonly problems: readonly string[] };

const MAX_ANSWER = 4_000;
/** Of facts, notes and proofs each. */
const MAX_CITED = 50;

/**
 * Turns what a model says into what code can check, or says what is wrong with it. Nothing that was not seen gets in, and
 * after a change something has to show that it happened.
 */
export function makeClaim(said: StatedClaim, grounds: ClaimGrounds): MadeClaim {
  if ([said.facts, said.notes, said.proofs].some((cited) => (cited ?? []).length > MAX_CITED)) {
    return { kind: "refused", problems: [`Cite at most ${MAX_CITED} facts, notes and proofs each.`] };
  }
  const stated = { ...said, answer: said.answer.slice(0, MAX_ANSWER) };
  const problems: string[] = [];
  const facts = collectFacts(stated, grounds, problems);
  const proofs = collectProofs(stated, grounds, problems);
  problems.push(...findGaps(facts, proofs, grounds));
  const number = problems.length > 0 ? null : findInventedNumber(stated, facts, proofs, grounds);
  if (number !== null) {
    problems.push(`The answer says ${number}, which no fact says. State it as a fact with its quote, or leave it out.`);
  }
  if (problems.length > 0) return { kind: "refused", problems };
  const conditions = [...grounds.entered, ...proofs.map(({ condition }) => condition)];
  const claim = {
    answer: stated.answer,
    facts: facts.map(({ fact }) => fact),
    extraction: grounds.extraction,
    conditions,
  };
  return { kind: "claim", claim };
}

function collectFacts(
  { facts = [], notes = [] }: StatedClaim,
  { evidence, notebook }: ClaimGrounds,
  problems: string[],
): GroundedFact[] {
  const found: GroundedFact[] = [];
  for (const [index, stated] of facts.entries()) {
    const grounded = groundFact(stated, evidence);
    if (grounded.kind === "grounded") found.push(grounded);
    else problems.push(`Fact ${index + 1}: ${grounded.why}.`);
  }
  for (const id of notes) {
    const fact = notebook.find(id);
    if (fact === null) problems.push(`There is no note ${toOneLine(id, 10).replace(/\W/g, "")}.`);
    else found.push({ fact, ground: fact.quote === null ? null : evidence.findText([fact.quote]) });
  }
  return found;
}

function collectProofs({ proofs = [] }: StatedClaim, { evidence }: ClaimGrounds, problems: string[]): Proof[] {
  const found: Proof[] = [];
  for (const [index, stated] of proofs.entries()) {
    const proof =
      stated.field === undefined
        ? proveText(stated.text ?? "", evidence)
        : proveField(stated.field, stated.value ?? "", evidence);
    if (proof !== null) found.push(proof);
    else if (stated.field === undefined)
      problems.push(`Proof ${index + 1}: this text stands on no page that you have seen.`);
    else
      problems.push(
        `Proof ${index + 1}: no page showed a field of this name with this value${evidence.hasWritten ? " since the change was sent. Open the page again and look" : ""}.`,
      );
  }
  return found;
}

function proveText(text: string, evidence: Evidence): Proof | null {
  const ground = evidence.findText(formsOf(text));
  if (ground === null) return null;
  const { url, quote } = ground;
  return { ground, condition: { kind: "text", url, text: quote, about: `The page shows "${toOneLine(quote, 80)}"` } };
}

function proveField(label: string, said: string, evidence: Evidence): Proof | null {
  const value = /^(?:on|true|yes|ticked)$/i.test(said)
    ? ["checked", said]
    : /^(?:off|false|no|unticked)$/i.test(said)
      ? ["unchecked", said]
      : [said];
  for (const form of value) {
    const ground = evidence.findField(label, form);
    if (ground === null) continue;
    const about = `"${toOneLine(label, 60)}" holds "${toOneLine(form, 60)}"`;
    const isSaved = evidence.hasWritten;
    return { ground, condition: { kind: "field", url: ground.url, label, value: form, isSaved, about } };
  }
  return null;
}

function findInventedNumber(
  { answer }: StatedClaim,
  facts: readonly GroundedFact[],
  proofs: readonly Proof[],
  { task, extraction, entered }: ClaimGrounds,
): string | null {
  const values = facts.map(({ fact }) => fact.quote ?? "");
  const data = extraction === null ? [] : [JSON.stringify(extraction.data), extraction.coverage];
  const seen = [...proofs.map(({ ground }) => ground.quote), ...entered.map(({ about }) => about)];
  const told = [task.prompt, String(task.now.getUTCFullYear()), ...facts.map(({ fact }) => String(fact.value))];
  const counts = [facts.length, ...lengthsIn(extraction?.data)];
  return findUnstatedNumber(dropToday(answer, task.now), [...told, ...values, ...data, ...seen], values, counts);
}

function lengthsIn(data: unknown): number[] {
  if (typeof data !== "object" || data === null) return [];
  const inner = Object.values(data).flatMap(lengthsIn);
  return Array.isArray(data) ? [data.length, ...inner] : inner;
}
