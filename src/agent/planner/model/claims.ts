import type { Model } from "../../../models/model.ts";
import { Harvest } from "../../extraction/by-model/harvest.ts";
import type { Claim, Condition, Extraction, Fact, FindOutputProblems, Task } from "../../grounding/claim.ts";
import { dropToday, findUnstatedNumber } from "../../grounding/stated-numbers.ts";
import { toOneLine } from "../../safe-text.ts";
import type { Decision, Turn } from "../planner.ts";
import { type Evidence, formsOf, type Ground, groundFact, type StatedFact } from "./evidence.ts";
import type { Memory, Notebook } from "./memory.ts";
import { giveUp } from "./tools.ts";

/** How often a model may say that it is done without being able to show it. */
const MAX_REJECTED = 3;

/** What a run says that it has achieved, and the data it gathers for that. */
export class Claims {
  readonly #task: Task;
  readonly #harvest: Harvest | null;
  #refused = 0;

  /** The task without its secrets: its words go to the model. */
  constructor(model: Model, task: Task, findProblems: FindOutputProblems) {
    this.#task = task;
    this.#harvest = task.outputSchema === null ? null : new Harvest({ model, task, findProblems });
  }

  /** What came of it, in words that quote the page. */
  async gather({ observation, signal }: Turn): Promise<string> {
    return this.#harvest === null ? "" : await this.#harvest.gather(observation, signal);
  }

  /** A decision, or what is wrong with the claim in our own words. */
  async make(stated: StatedClaim, memory: Memory, turn: Turn): Promise<Decision | readonly string[]> {
    const { evidence, notebook, entered, hasActed } = memory;
    const extraction = await this.#extract(turn);
    const made = makeClaim(stated, {
      task: this.#task,
      evidence,
      notebook,
      entered: entered.list(),
      extraction,
      hasActed,
    });
    if (made.kind === "claim") return { kind: "done", claim: made.claim };
    this.#refused += 1;
    if (this.#refused < MAX_REJECTED) return made.problems;
    const why = `The planner said ${MAX_REJECTED} times that the errand was done, and no page that it saw shows it.`;
    return giveUp("unverified", why, "UNPROVEN");
  }

  reconsider(): void {
    this.#refused = 0;
  }

  /** Models forget to gather before they are done: the last page is where the data most likely is. */
  async #extract(turn: Turn): Promise<Extraction | null> {
    if (this.#harvest === null) return null;
    if (this.#harvest.result() === null) await this.gather(turn);
    return this.#harvest.result();
  }
}

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

interface ClaimGrounds {
  readonly task: Task;
  readonly evidence: Evidence;
  readonly notebook: Notebook;
  /** What was entered into fields. */
  readonly entered: readonly Condition[];
  readonly extraction: Extraction | null;
  /** Whether anything was clicked, entered or chosen. */
  readonly hasActed: boolean;
}

type MadeClaim =
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

interface GroundedFact {
  readonly fact: Fact;
  /** Null for a note whose page has been forgotten. */
  readonly ground: Ground | null;
}

interface Proof {
  readonly condition: Condition;
  readonly ground: Ground;
}

interface GapContext {
  readonly task: Task;
  readonly evidence: Evidence;
  readonly extraction: Extraction | null;
  /** Whether anything was clicked, entered or chosen. */
  readonly hasActed: boolean;
}

const ASKS_FOR_INFORMATION =
  /\?|\b(?:tell|what|which|who|when|where|how (?:many|much|long|old|far)|list|report|find out|summari[sz]e|give me|show me|read)\b/i;
const ASKS_FOR_CHANGE =
  /\b(?:add|apply|book|buy|cancel|change|check out|clear|confirm|create|delete|disable|edit|enable|enter|fill|move|order|place|post|purchase|put|register|remove|rename|reply|reserve|save|send|set|submit|subscribe|switch|tick|turn o(?:n|ff)|type|unsubscribe|untick|update|upload|write)\b/i;

/** What is missing for a claim to say anything about its task. */
function findGaps(
  facts: readonly GroundedFact[],
  proofs: readonly Proof[],
  { task, evidence, extraction, hasActed }: GapContext,
): string[] {
  if (task.outputSchema !== null && extraction === null)
    return ["No data was gathered yet. Call extract on the page that has it."];
  const isGrounded = facts.length > 0 || proofs.length > 0 || extraction !== null;
  if (!isGrounded)
    return [
      "Nothing is proven. Give facts with quotes for what was asked, or proofs: what on which page shows that it is done.",
    ];
  if (facts.length === 0 && extraction === null && ASKS_FOR_INFORMATION.test(task.prompt)) {
    return ["The task asks for something to be told. Give at least one fact with its quote."];
  }
  // Signing in sends something too: who only reads after that has nothing to show but what was read.
  if (evidence.hasWritten && (facts.length === 0 || ASKS_FOR_CHANGE.test(task.prompt))) {
    const isShown = [...facts, ...proofs].some(({ ground }) => ground?.isNew === true);
    return isShown || extraction !== null
      ? []
      : [
          "Nothing that you cite shows the change: it was there before. Cite what the site shows since then, or look for it.",
        ];
  }
  const isField = proofs.some(({ condition }) => condition.kind === "field");
  if (!hasActed && !isField && extraction === null && facts.length === 0 && ASKS_FOR_CHANGE.test(task.prompt)) {
    return [
      "Nothing was done on the site so far, and the task asks for it. Do it first. If it was so already, prove it with the field that shows it.",
    ];
  }
  return [];
}
