import type { Observation } from "../../../browser/observation/observation.ts";
import type { Model } from "../../../models/model.ts";
import type { Extraction, FindOutputProblems, Task } from "../../grounding/claim.ts";
import { findNextPage, findStatedTotal } from "../pagination.ts";
import { askAboutPage } from "./ask-about-page.ts";
import { assemble } from "./assemble.ts";
import { Findings, type Objection } from "./findings.ts";
import { type Form, readForm } from "./form.ts";
import { type ReadPage, readPage } from "./read-page.ts";

export interface HarvestDependencies {
  readonly model: Model;
  readonly task: Task;
  /** What is wrong with data under a schema; without it only what is ungrounded is repaired. */
  readonly findProblems?: FindOutputProblems;
}

const MAX_REPORT = 2_000;

/**
 * Gathers the data for an `output_schema` page by page. The model only says where things stand; code reads them, holds
 * them against the page and puts them together.
 */
export class Harvest {
  readonly #means: HarvestDependencies;
  readonly #form: Form;
  readonly #findings: Findings;
  #last: ReadPage | null = null;

  constructor(means: HarvestDependencies) {
    this.#means = means;
    this.#form = readForm(means.task.outputSchema);
    this.#findings = new Findings(this.#form, means.task);
  }

  /** Takes what the page says. Answers what came of it, in words that quote the page and are data like it. */
  async gather(observation: Observation, signal: AbortSignal): Promise<string> {
    const page = readPage(observation);
    const isAgain = this.#findings.forget(page);
    const known = isAgain ? new Set<string>() : this.#findings.goOn(page);
    const isFirst = this.#last === null;
    this.#last = page;
    const form = isFirst || isAgain ? this.#form : this.#whatIsOpen(known);
    if (form.values.length > 0 || form.lists.length > 0) await this.#ask(form, page, signal);
    return this.#report();
  }

  /** Null before the first page. */
  result(): Extraction | null {
    const { outputSchema } = this.#means.task;
    if (this.#last === null || outputSchema === null) return null;
    return assemble(outputSchema, this.#form, this.#findings, this.#describeCompleteness(this.#last));
  }

  /** Lists that do not go on by themselves; values that are not known yet, or all where there is nothing else to find. */
  #whatIsOpen(known: ReadonlySet<string>): Form {
    const { values, lists, objects } = this.#form;
    const openLists = lists.filter(({ id }) => !known.has(id));
    const isOpen = (id: string) => !known.has(id) && (lists.length === 0 || !this.#findings.values.has(id));
    const openValues = values.filter(({ id }) => isOpen(id));
    return { values: openValues, lists: openLists, objects };
  }

  async #ask(form: Form, page: ReadPage, signal: AbortSignal): Promise<void> {
    const { model, task } = this.#means;
    const question = { model, task, page, form };
    const answer = await askAboutPage({ ...question, objections: [] }, signal);
    const objections = [...this.#findings.take(answer, page), ...(await this.#findProblems())];
    if (objections.length === 0) return;
    const repaired = await askAboutPage({ ...question, objections }, signal);
    this.#findings.take(repaired, page);
  }

  /** What the validator says of what was found; what was not found it need not say. */
  async #findProblems(): Promise<Objection[]> {
    const { findProblems, task } = this.#means;
    const extraction = this.result();
    if (findProblems === undefined || task.outputSchema === null || extraction === null) return [];
    const problems = await findProblems(task.outputSchema, extraction.data);
    return problems
      .filter((problem) => !/must have required property/.test(problem))
      .map((problem) => ({ about: "schema", reason: problem }));
  }

  #describeCompleteness({ observation: { root, url }, sets }: ReadPage): string[] {
    if (![...this.#findings.sources.values()].some((sources) => sources.length > 0)) return [];
    const totals = sets.map((set) => findStatedTotal(root, set)).filter((total) => total !== null);
    return [
      ...(findNextPage(root, url) === null ? [] : ["more pages exist"]),
      ...(totals.length === 0 ? [] : [`the page says that there are ${Math.max(...totals)}`]),
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
      ...(reasons.length === 0 ? ["Nothing that is required is missing."] : [`Missing: ${reasons.join("; ")}`]),
    ].join("\n");
  }
}
