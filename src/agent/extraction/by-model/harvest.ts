import { labelOf, type Observation } from "../../../browser/observation/observation.ts";
import type { Model } from "../../../models/model.ts";
import type { Extraction, FindOutputProblems, Task } from "../../grounding/claim.ts";
import { withoutQuotedText } from "../../grounding/english-words.ts";
import { ListGathering } from "../list-gathering.ts";
import { type MergedPages, mergePages } from "../merged-pages.ts";
import { findNextPage, findStatedTotal } from "../pagination.ts";
import { readRecordSets } from "../read-record-sets.ts";
import { askAboutPage } from "./ask-about-page.ts";
import { assemble } from "./assemble.ts";
import { Findings, type Objection } from "./findings.ts";
import { type Form, readForm } from "./form.ts";
import { continues, type Mapping } from "./mapping.ts";
import { isList, type ReadPage, readPage } from "./read-page.ts";

export interface HarvestDependencies {
  readonly model: Model;
  readonly task: Task;
  /** What is wrong with data under a schema; without it only ungrounded values are repaired. */
  readonly findProblems?: FindOutputProblems;
}

const MAX_REPORT = 2_000;

/**
 * Gathers the data for an `output_schema` page by page. The model only says where the values are; code reads them, checks them
 * against the page and assembles the data.
 */
export class Harvest {
  readonly #dependencies: HarvestDependencies;
  readonly #form: Form;
  readonly #findings: Findings;
  #last: ReadPage | null = null;
  /** The list that is followed, and how. */
  #following: { readonly id: string; readonly gathering: ListGathering } | null = null;

  constructor(dependencies: HarvestDependencies) {
    this.#dependencies = dependencies;
    this.#form = readForm(dependencies.task.outputSchema);
    this.#findings = new Findings(this.#form, dependencies.task);
  }

  /**
   * Reads the page. Returns a report that quotes the page, and so is data like the page itself. A page that was read before is
   * read anew, except while a list is followed.
   */
  async gather(observation: Observation, signal: AbortSignal): Promise<string> {
    const page = readPage(observation);
    const isAgain = this.#following === null && this.#findings.forget(page);
    const known = isAgain ? new Set<string>() : this.#findings.continueOn(page);
    const isFirst = this.#last === null;
    this.#last = page;
    const form = isFirst || isAgain ? this.#form : this.#listOpen(known);
    if (form.values.length > 0 || form.lists.length > 0) await this.#ask(form, page, signal);
    return this.#report();
  }

  /**
   * How to see more of a list whose columns are known, without asking the model: scrolling, waiting, a button "Load more". Null
   * when there is nothing more, or when the task does not need it. To be called once for each page, after `gather`.
   */
  nextMove(): ListMove | null {
    const page = this.#last;
    if (page === null) return null;
    const followed = this.#following ?? this.#findFollowed(page);
    this.#following = followed;
    const move = followed?.gathering.add(page.observation) ?? null;
    if (move !== null) return move;
    this.#following = null;
    const { root, url } = page.observation;
    const more = followed !== null && asksForAll(this.#dependencies.task.prompt) ? findNextPage(root, url) : null;
    return more?.role === "button" && more.ref !== null
      ? { action: "click", input: { ref: more.ref, label: labelOf(more) } }
      : null;
  }

  /** A list on the page that is wanted as a whole. */
  #findFollowed(page: ReadPage): { id: string; gathering: ListGathering } | null {
    for (const { id, maxItems } of this.#form.lists) {
      const source = this.#findings.sources.get(id)?.findLast((one) => one.page === page);
      if (source === undefined || maxItems !== null || source.mapping.limit !== null) continue;
      const isPartial = source.set.window?.isPartial === true;
      if (isPartial || asksForAll(this.#dependencies.task.prompt)) {
        return { id, gathering: new ListGathering((pages) => mergeContinued(pages, source.mapping)) };
      }
    }
    return null;
  }

  /** Null before the first page. */
  result(): Extraction | null {
    const { outputSchema } = this.#dependencies.task;
    if (this.#last === null || outputSchema === null) return null;
    return assemble(outputSchema, this.#form, this.#findings, this.#describeCompleteness(this.#last));
  }

  /** Lists that are not continued by code, and values that are not known yet; all values if the schema has no lists. */
  #listOpen(known: ReadonlySet<string>): Form {
    const { values, lists, objects } = this.#form;
    const openLists = lists.filter(({ id }) => !known.has(id));
    const isOpen = (id: string) => !known.has(id) && (lists.length === 0 || !this.#findings.values.has(id));
    const openValues = values.filter(({ id }) => isOpen(id));
    return { values: openValues, lists: openLists, objects };
  }

  async #ask(form: Form, page: ReadPage, signal: AbortSignal): Promise<void> {
    const { model, task } = this.#dependencies;
    const question = { model, task, page, form };
    const answer = await askAboutPage({ ...question, objections: [] }, signal);
    const objections = [...this.#findings.take(answer, page), ...(await this.#findProblems())];
    if (objections.length === 0) return;
    const repaired = await askAboutPage({ ...question, objections }, signal);
    this.#findings.take(repaired, page);
  }

  /** What the validator says about the values that were found. */
  async #findProblems(): Promise<Objection[]> {
    const { findProblems, task } = this.#dependencies;
    const extraction = this.result();
    if (findProblems === undefined || task.outputSchema === null || extraction === null) return [];
    const problems = await findProblems(withoutRequired(task.outputSchema), extraction.data);
    return problems.map((problem) => ({ about: "schema", reason: problem }));
  }

  #describeCompleteness({ observation: { root, url }, sets }: ReadPage): string[] {
    const { sources, items } = this.#findings;
    if (![...sources.values(), ...items.values()].some((found) => found.length > 0)) return [];
    const totals = sets.map((set) => findStatedTotal(root, set)).filter((total) => total !== null);
    return [
      ...(findNextPage(root, url) === null ? [] : ["more pages exist"]),
      ...(totals.length === 0 ? [] : [`the page says there are ${Math.max(...totals)}`]),
    ];
  }

  #report(): string {
    const extraction = this.result();
    if (extraction === null) return "";
    const { data, coverage, missing } = extraction;
    const reasons = missing.slice(0, 10).map(({ pointer, reason }) => `${pointer || "/"}: ${reason}`);
    return [
      `Gathered so far: ${(JSON.stringify(data) ?? "").slice(0, MAX_REPORT)}`,
      coverage,
      ...(reasons.length === 0 ? ["Nothing required is missing."] : [`Missing: ${reasons.join("; ")}`]),
    ].join("\n");
  }
}

/** A call of an action, or waiting for a list that may still be loading. */
type ListMove = { readonly action: string; readonly input: Readonly<Record<string, unknown>> } | "wait";

const ALL = /\b(?:all|every|each|complete|entire|whole|how many|count)\b/i;

function asksForAll(prompt: string): boolean {
  return ALL.test(withoutQuotedText(prompt));
}

/** The list with these columns, on all of the pages; null when one of them does not show it. */
function mergeContinued(pages: readonly Observation[], mapping: Mapping): MergedPages | null {
  const sets = pages.map(({ root, url, number }) =>
    readRecordSets(root, url, number).find((set) => isList(set) && continues(mapping, set)),
  );
  const [first, ...others] = sets.filter((set) => set !== undefined);
  return first === undefined || others.length + 1 < sets.length ? null : mergePages([first, ...others]);
}

const DATA_KEYWORDS: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
const CONDITIONAL_KEYWORDS: ReadonlySet<string> = new Set(["if", "then", "else", "not", "dependentRequired"]);
/** Their keys are names, not keywords. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

/** The schema with nothing required, to validate data that is not complete yet. Alternatives may then match together. */
function withoutRequired(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !CONDITIONAL_KEYWORDS.has(keyword) && !(keyword === "required" && Array.isArray(value)),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword === "oneOf" ? "anyOf" : keyword, relax(keyword, value)]),
  );
}

function relax(keyword: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || DATA_KEYWORDS.has(keyword)) return value;
  if (Array.isArray(value)) return value.map((part) => relax("", part));
  if (!NAMED_SCHEMAS.has(keyword)) return withoutRequired(value as Record<string, unknown>);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, relax("", schema)]));
}
