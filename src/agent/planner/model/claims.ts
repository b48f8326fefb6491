import { setTimeout as sleep } from "node:timers/promises";
import type { Model } from "../../../models/model.ts";
import { Harvest } from "../../extraction/by-model/harvest.ts";
import { dropConverted } from "../../grounding/calculations.ts";
import type { Claim, Condition, Extraction, Fact, FindOutputProblems, Task } from "../../grounding/claim.ts";
import { asksForInformation, mentionsChange, withoutQuotedText } from "../../grounding/english-words.ts";
import { dropStatedDays, dropStatedTimes, dropToday, findUnstatedNumber } from "../../grounding/stated-numbers.ts";
import { toOneLine } from "../../safe-text.ts";
import type { Decision, Turn } from "../planner.ts";
import { type Evidence, formsOf, type Ground, groundFact, type StatedFact } from "./evidence.ts";
import type { Memory, Notebook } from "./memory.ts";
import { giveUp } from "./tools.ts";

/** Following a list leaves the model enough to finish. */
const MIN_STEPS_LEFT = 8;
const MAX_SPENT = 0.7;
const LOADING_MS = 700;

/** How often in a row a model may call done without proof, with nothing done in between. */
const MAX_REJECTED = 4;

/** Turns the model's `done` into a claim, and collects the data that `extract` finds on the way. */
export class Claims {
  readonly #task: Task;
  readonly #harvest: Harvest | null;
  #rejected = 0;
  /** The last decision was to show more of a list. */
  #isFollowing = false;

  /** The task must be without its secrets: its prompt goes to the model. */
  constructor(model: Model, task: Task, findProblems: FindOutputProblems) {
    this.#task = task;
    this.#harvest = task.outputSchema === null ? null : new Harvest({ model, task, findProblems });
  }

  /** Extracts data from the page. Returns a summary that quotes the page. */
  async gather({ observation, signal }: Turn): Promise<string> {
    return this.#harvest === null ? "" : await this.#harvest.gather(observation, signal);
  }

  /** The decision that shows more of the list that was just extracted; null when the model goes on. */
  async followList({ stepsLeft, spent, signal }: Turn): Promise<Decision | null> {
    const hasBudget = stepsLeft > MIN_STEPS_LEFT && spent < MAX_SPENT;
    const move = hasBudget ? (this.#harvest?.nextMove() ?? null) : null;
    this.#isFollowing = move !== null;
    if (move === null) return null;
    if (move !== "wait") return { kind: "act", calls: [move], why: "Show more of the list." };
    await sleep(LOADING_MS, undefined, { signal });
    return { kind: "act", calls: [{ action: "look", input: {} }], why: "See whether more of the list has loaded." };
  }

  /** Extracts the next part of a list that is being followed. Returns a summary; null when none is. */
  async gatherNext(turn: Turn): Promise<string | null> {
    if (!this.#isFollowing) return null;
    return await this.gather(turn);
  }

  /** A decision, or what is wrong with the claim, in our own words. */
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
    this.#rejected += 1;
    if (this.#rejected < MAX_REJECTED) return made.problems;
    const why = `The planner claimed ${MAX_REJECTED} times that the errand was done, but no page it saw shows that.`;
    return giveUp("unverified", why, "UNPROVEN");
  }

  /** Something was done or objected to since the last claim: another claim may be better. */
  startTurn(): void {
    this.#rejected = 0;
  }

  /** Models forget to call extract before done: the data is most likely on the last page. */
  async #extract(turn: Turn): Promise<Extraction | null> {
    if (this.#harvest === null) return null;
    if (this.#harvest.result() === null) await this.gather(turn);
    return this.#harvest.result();
  }
}

/** The model's input to `done`. */
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
  /** What was entered into fields during the run. */
  readonly entered: readonly Condition[];
  readonly extraction: Extraction | null;
  /** Whether anything was clicked, entered or chosen. */
  readonly hasActed: boolean;
}

type MadeClaim =
  | { readonly kind: "claim"; readonly claim: Claim }
  | { readonly kind: "rejected"; readonly problems: readonly string[] };

const MAX_ANSWER_CHARS = 4_000;
/** Facts, notes and proofs each. */
const MAX_CITED = 50;

/**
 * Turns the model's statement into a claim that code can check, or says what is wrong with it. Everything cited must have
 * been seen on a page, and after a change something must show that it happened.
 */
export function makeClaim(given: StatedClaim, grounds: ClaimGrounds): MadeClaim {
  if ([given.facts, given.notes, given.proofs].some((cited) => (cited ?? []).length > MAX_CITED)) {
    return { kind: "rejected", problems: [`Cite at most ${MAX_CITED} facts, notes and proofs each.`] };
  }
  const stated = { ...given, answer: given.answer.slice(0, MAX_ANSWER_CHARS) };
  const problems: string[] = [];
  const facts = collectFacts(stated, grounds, problems);
  const proofs = collectProofs(stated, grounds, problems);
  problems.push(...findGaps(facts, proofs, grounds));
  const number = problems.length > 0 ? null : findInventedNumber(stated, facts, proofs, grounds);
  if (number !== null) {
    problems.push(
      `The answer contains ${number}, which is in no fact. State it as a fact with its quote, or leave it out.`,
    );
  }
  if (problems.length > 0) return { kind: "rejected", problems };
  const conditions = [
    ...grounds.entered,
    ...proofs.map(({ condition }) => condition),
    ...listGone(facts, proofs, grounds),
  ];
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
      problems.push(`Proof ${index + 1}: this text is on no page that you have seen.`);
    else
      problems.push(
        `Proof ${index + 1}: no page showed a field with this name and value${evidence.hasWritten ? " since the change was sent. Open the page again and check" : ""}.`,
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

function proveField(label: string, value: string, evidence: Evidence): Proof | null {
  const forms = /^(?:on|true|yes|ticked)$/i.test(value)
    ? ["checked", value]
    : /^(?:off|false|no|unticked)$/i.test(value)
      ? ["unchecked", value]
      : [value];
  for (const form of forms) {
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
  { task, extraction, entered, evidence }: ClaimGrounds,
): string | null {
  const quotes = facts.map(({ fact }) => fact.quote ?? "");
  const data = extraction === null ? [] : [JSON.stringify(extraction.data), extraction.coverage];
  const seen = [...proofs.map(({ ground }) => ground.quote), ...entered.map(({ about }) => about)];
  const stated = [task.prompt, String(task.now.getUTCFullYear()), ...facts.map(({ fact }) => String(fact.value))];
  const counts = [facts.length, ...lengthsIn(extraction?.data)];
  const labelled = quotes.flatMap((quote) => evidence.withNeighbours(quote));
  const named = dropStatedDays(dropStatedTimes(dropToday(answer, task.now), quotes), quotes);
  const own = dropConverted(named, [...quotes, ...labelled, ...data, ...seen]);
  return findUnstatedNumber(own, [...stated, ...quotes, ...data, ...seen], quotes, counts, task.prompt);
}

function lengthsIn(data: unknown): number[] {
  if (typeof data !== "object" || data === null) return [];
  const inner = Object.values(data).flatMap(lengthsIn);
  return Array.isArray(data) ? [data.length, ...inner] : inner;
}

interface GroundedFact {
  readonly fact: Fact;
  /** Null for a note whose page is no longer kept. */
  readonly ground: Ground | null;
}

interface Proof {
  readonly condition: Condition;
  readonly ground: Ground;
}

function isShown(facts: readonly GroundedFact[], proofs: readonly Proof[]): boolean {
  return [...facts, ...proofs].some(({ ground }) => ground?.isNew === true);
}

/** After a change of which nothing new is cited, what the task names is gone. A fresh page must not show it either. */
function listGone(
  facts: readonly GroundedFact[],
  proofs: readonly Proof[],
  { task, evidence }: Pick<ClaimGrounds, "task" | "evidence">,
): Condition[] {
  const gone = evidence.hasWritten && !isShown(facts, proofs) ? evidence.findGone(task.prompt) : null;
  if (gone === null) return [];
  const { url, quote } = gone;
  return [{ kind: "absent", url, text: quote, about: `"${toOneLine(quote, 80)}" is gone` }];
}

/** What a claim must still cite to say anything about its task. */
function findGaps(facts: readonly GroundedFact[], proofs: readonly Proof[], grounds: ClaimGrounds): string[] {
  const { task, evidence, extraction, hasActed } = grounds;
  if (task.outputSchema !== null && extraction === null)
    return ["No data was extracted yet. Call extract on the page that has it."];
  const isGrounded = facts.length > 0 || proofs.length > 0 || extraction !== null;
  if (!isGrounded)
    return [
      "Nothing is proven. Give facts with quotes for what was asked, or proofs: what on a page shows that it is done.",
    ];
  if (facts.length === 0 && extraction === null && asksForInformation(withoutQuotedText(task.prompt))) {
    return ["The task asks for information. Give at least one fact with its quote."];
  }
  // Signing in is a write too: a task that only reads after it can cite nothing but what was read.
  if (evidence.hasWritten && (facts.length === 0 || mentionsChange(task.prompt))) {
    return isShown(facts, proofs) || extraction !== null || listGone(facts, proofs, grounds).length > 0
      ? []
      : [
          "Nothing you cite shows the change: it was there before. Cite what the site shows since then, or look for it.",
        ];
  }
  const isField = proofs.some(({ condition }) => condition.kind === "field");
  if (!hasActed && !isField && extraction === null && facts.length === 0 && mentionsChange(task.prompt)) {
    return [
      "The task asks for a change, and nothing was done on the site yet. Do it first. If it was already so, prove it with the field that shows it.",
    ];
  }
  return [];
}
