import type { Observation } from "../../browser/observation/observation.ts";
import type { MergedPages } from "../extraction/merged-pages.ts";
import { findNextPage } from "../extraction/pagination.ts";
import { type Row, titleOf } from "../extraction/record-set.ts";
import type { Fact } from "../grounding/claim.ts";
import { stemNoun } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import {
  chooseOnce,
  claimWhole,
  demandWhole,
  findStatedNone,
  growList,
  refuseNarrowed,
  refuseSelection,
} from "./complete-list.ts";
import { actOn } from "./elements.ts";
import { listLabelled } from "./labels.ts";
import { hasColumn, type ListChoice, readColumn, type WantedList, withoutMachines } from "./lists.ts";
import { pickNth, quoteNames, shorten } from "./names.ts";
import type { Running, StepsRun } from "./run.ts";
import type { CollectStep } from "./step.ts";
import { filterRows, findOrderColumn, orderRows } from "./where.ts";

const MAX_PAGES = 50;

/** Reads a list, on all of its pages unless told otherwise, and answers with its rows or with how many there are. */
export function* collect(step: CollectStep, run: StepsRun): Running {
  const none = findStatedNone(step.list ?? "", run);
  if (none !== null) {
    run.facts.push({ label: `number of ${step.list}`, value: 0, quote: none, url: run.observation.url });
    run.answer(step.count === true ? "0" : none);
    return;
  }
  const stated = findStatedCount(step, run);
  if (stated !== null) {
    run.facts.push({ label: stated.label, value: stated.text, quote: stated.text, url: run.observation.url });
    return run.answer(stated.text, step.list);
  }
  const { merged, rows } = yield* collectRows(step, run);
  const { set } = merged;
  run.records = { ...merged, set: { ...set, rows } };
  const noun = step.list ?? set.name ?? "rows";
  if (step.count === true) return answerCount(rows, merged, noun, run);
  const columns = withoutNoun(step, merged) ?? columnsOfOrder(step, merged);
  const missing = columns.find((column) => !hasColumn(set, column));
  if (missing !== undefined && set.rows.length > 0) {
    const shown = quoteNames(set.columns);
    throw run.stop("COLUMN_NOT_FOUND", `The list has no column "${shorten(missing)}". It has: ${shown}.`);
  }
  if (rows.length === 0) {
    run.facts.push(...quoteList(merged, run));
    run.answer(`No ${noun}.`);
    return;
  }
  for (const [index, row] of rows.entries())
    answerRow(row, merged, columns.length > 0 ? columns : set.columns, `${noun} ${index + 1}`, run);
}

const NUMBER = /^\d[\d.,\s]*(?:\s?(?:of|\/)\s?\d[\d.,]*)?$/;

/** "Open tickets: 14" where the page has no list of them. Null when no label has just these words, or several numbers. */
function findStatedCount(
  { count, list = "", where = [] }: CollectStep,
  run: StepsRun,
): { label: string; text: string } | null {
  const states = where.map(({ column, is }) => (column === undefined && typeof is === "string" ? is : null));
  if (count !== true || list === "" || states.includes(null)) return null;
  if (chooseOnce([run.observation], { noun: list }, run).kind === "chosen") return null;
  const wanted = toWords([list, ...states].join(" "));
  const found = listLabelled(null, run)
    .filter(({ set }) => set.kind === "labelled" && set.region === "main")
    .flatMap(({ set }) => set.rows.flatMap(({ cells }) => [...cells].map(([label, { text }]) => ({ label, text }))))
    .filter(({ label, text }) => toWords(label) === wanted && NUMBER.test(text));
  const [first] = found;
  return first !== undefined && found.every(({ text }) => text === first.text) ? first : null;
}

/** In any order, and without what a count may be called: "Total members", "Number of members". */
function toWords(text: string): string {
  const words = stemNoun(text).split(" ");
  return words
    .filter((word) => !/^(?:total|number|count|of)$/.test(word))
    .toSorted()
    .join(" ");
}

/** "the versions under Version history" are its rows, where the list has no column of that name. */
function withoutNoun({ columns, list }: CollectStep, { set }: MergedPages): string[] | null {
  const [only, ...more] = columns ?? [];
  if (only === undefined || more.length > 0 || hasColumn(set, only)) return columns ?? null;
  const isNoun = [list ?? "", set.name].some((name) => stemNoun(name).split(" ").includes(stemNoun(only)));
  return isNoun ? null : [only];
}

/** "Which is the cheapest?" is answered with its name and what decided. */
function columnsOfOrder({ order }: CollectStep, { set }: MergedPages): string[] {
  const column = order === undefined ? null : findOrderColumn(set, order.by);
  return column === null || set.titleColumn === null ? [] : [...new Set([set.titleColumn, column])];
}

/** The chosen rows of a list, with the list that they are from. */
export function* collectRows(step: CollectStep, run: StepsRun): Running<{ merged: MergedPages; rows: readonly Row[] }> {
  const wanted = toWanted(step);
  const { noun } = wanted;
  const isWhole = step.pages !== "this";
  // On a large page, finding the text that is no source takes as long as reading the lists.
  yield* run.readAhead(withoutMachines(run.observation));
  const choice = yield* run.retry(
    () => chooseOnce([run.observation], wanted, run),
    ({ kind }) => kind === "chosen",
  );
  yield* run.pause(0);
  if (choice.kind === "none") throw run.stop("LIST_NOT_FOUND", choice.reason);
  if (isWhole && step.nth === undefined) refuseSelection(choice, noun, run);
  if (isWhole && takesAll(step)) refuseNarrowed(choice.merged.set.rows, noun, run);
  const pages = yield* readPages(step, wanted, run);
  const whole = chooseOnce(pages, wanted, run);
  if (whole.kind === "none") throw run.stop("LIST_NOT_FOUND", whole.reason);
  const { merged } = whole;
  const isAll = isWhole && (takesAll(step) || merged.set.rows.length < countEnough(step));
  yield* run.pause(0);
  if (isAll) demandWhole(merged, pages, wanted, run);
  yield* run.pause(0);
  const { rows, columns } = chooseRows(whole, step, run);
  if (isAll) claimWhole(merged, pages, columns, run);
  return { merged, rows: limitRows(rows, step, run) };
}

/** The rows in question, and the columns that they were chosen by. */
function chooseRows({ merged: { set }, state }: ListChoice & { kind: "chosen" }, step: CollectStep, run: StepsRun) {
  const { rows, columns } = filterRows(set, [...(step.where ?? []), ...(state === null ? [] : [{ is: state }])]);
  if (step.order === undefined) return { rows, columns };
  const ordered = orderRows(set, rows, step.order);
  if (step.limit === 1 && ordered.ties > 1)
    throw run.stop("UNKNOWN_ROWS", `${ordered.ties} rows share the first place by "${shorten(step.order.by)}".`);
  return { rows: ordered.rows, columns };
}

function toWanted({ list = "", columns = [], where = [], order }: CollectStep): WantedList {
  const compared = where.flatMap(({ column }) => column ?? []);
  return { noun: list, columns: [...columns, ...compared, ...(order === undefined ? [] : [order.by])] };
}

/** Whether rows on later pages could change the answer. */
function takesAll({ limit, order, where, nth }: CollectStep): boolean {
  return (
    (limit === undefined && nth === undefined) || order !== undefined || (where?.length ?? 0) > 0 || (nth ?? 1) < 0
  );
}

/** How many rows have to be read when later ones do not matter. */
function countEnough({ nth, limit }: CollectStep): number {
  return nth !== undefined && nth > 0 ? nth : (limit ?? Number.POSITIVE_INFINITY);
}

function limitRows(rows: readonly Row[], { limit, nth }: CollectStep, run: StepsRun): readonly Row[] {
  if (nth === undefined) return limit === undefined ? rows : rows.slice(0, limit);
  const row = pickNth(rows, nth);
  if (row === undefined) throw run.stop("ROW_NOT_FOUND", `The list has only ${rows.length} rows.`);
  return [row];
}

/** The page, and the further pages of the list as far as they matter. */
function* readPages(step: CollectStep, wanted: WantedList, run: StepsRun): Running<Observation[]> {
  const pages: Observation[] = step.pages === "this" ? [run.observation] : yield* growList(wanted, run);
  while (step.pages !== "this") {
    const next = findNextPage(run.observation.root, run.observation.url);
    if (next === null) break;
    const choice = chooseOnce(pages, wanted, run);
    if (!takesAll(step) && choice.kind === "chosen" && choice.merged.set.rows.length >= countEnough(step)) break;
    if (pages.length >= MAX_PAGES) {
      throw run.stop(
        "PARTIAL_LIST",
        `The list goes on after ${MAX_PAGES} pages, so nothing can be said about all of it.`,
      );
    }
    const { failure } = yield* actOn(next, "click", {}, "Go to the next page of the list.", run);
    if (failure !== null)
      throw run.stop("PARTIAL_LIST", `Page ${pages.length + 1} of the list could not be opened: ${failure.message}`);
    pages.push(run.observation);
  }
  return pages;
}

/** No text of the page says the count, so each counted row is a fact. */
function answerCount(rows: readonly Row[], merged: MergedPages, noun: string, run: StepsRun): void {
  const facts = rows.flatMap((row, index) => {
    const cell = titleOf(row, merged.set) ?? [...row.cells.values()].find(({ text }) => text !== "");
    return cell == null
      ? []
      : [{ label: `${noun} ${index + 1}`, value: cell.text, quote: cell.quote, url: row.pageUrl }];
  });
  if (facts.length < rows.length)
    throw run.stop(
      "UNKNOWN_ROWS",
      `${rows.length - facts.length} rows of the list are empty, so they cannot be counted.`,
    );
  run.facts.push(...(rows.length === 0 ? quoteList(merged, run) : facts));
  run.answer(String(rows.length), noun);
}

/** For "none": the list that was searched, as the page names it. */
function quoteList({ set }: MergedPages, run: StepsRun): Fact[] {
  const quote = set.columns.find((column) => readText(run.observation.root).includes(column)) ?? set.name;
  if (quote === "") throw run.stop("UNKNOWN_ROWS", "Nothing on the page says that there are none.");
  return [{ label: `no row of ${quote}`, value: 0, quote, url: run.observation.url }];
}

function answerRow(row: Row, { set }: MergedPages, columns: readonly string[], label: string, run: StepsRun): void {
  const title = titleOf(row, set)?.text;
  const parts = columns.flatMap((column) => {
    const cell = readColumn(row, set, column);
    if (cell === null) return [];
    run.facts.push({ label: `${column} of ${label}`, value: cell.text, quote: cell.quote, url: row.pageUrl });
    return [cell.text === title ? cell.text : `${column}: ${cell.text}`];
  });
  run.answer(parts.join(", "));
}
