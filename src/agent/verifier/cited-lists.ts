import { foldVisible } from "../../browser/observation/visible-text.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import type { RecordSet, Row } from "../extraction/record-set.ts";
import { type CapturedPage, isSamePage } from "../grounding/captured-pages.ts";
import { readText } from "../grounding/page-text.ts";
import { findQuote } from "../grounding/quotes.ts";
import type { Case } from "./case.ts";
import { withoutTimes } from "./deletions.ts";
import { findOpenedRows, findSources } from "./opened-rows.ts";

/** What is wrong with a list of a page, or with these rows of it; null when nothing is. */
export type DoubtList = (set: RecordSet, page: CapturedPage, rows: readonly Row[]) => string | null;

/**
 * What is wrong with a list that the answer rests on. A row that was opened for the answer stands for its list. What another list of
 * the page says as well does not rest on a doubtful one.
 */
export function findDoubt(context: Case, doubt: DoubtList): string | null {
  for (const page of findCitedStates(context)) {
    const sets = findLists(page);
    const doubts = new Map(sets.map((set) => [set, doubt(set, page, set.rows)]));
    const isDoubtful = (set: RecordSet) => doubts.get(set) != null;
    if (!sets.some(isDoubtful)) continue;
    const doubtful = findHoldingSets(page, sets, context).find(
      (holding) => holding.length > 0 && holding.every(isDoubtful),
    );
    const finding = doubtful?.map((set) => doubts.get(set))[0] ?? null;
    if (finding !== null) return finding;
  }
  for (const { set, page, row } of findOpenedRows(context)) {
    const finding = doubt(set, page, [row]);
    if (finding !== null) return finding;
  }
  return null;
}

/** The tables and lists of a page. */
export function findLists({ root, url }: CapturedPage): RecordSet[] {
  return readRecordSets(root, url).filter(({ kind }) => kind !== "labelled");
}

/** The pages that the claim cites, as they were when they were read, or else as they were last. */
function findCitedStates(context: Case): CapturedPage[] {
  const { claim, captured } = context;
  const located = (claim.extraction?.leaves ?? []).flatMap(({ location }) => location?.observationNumber ?? []);
  const listed = claim.conditions.flatMap((each) => (each.kind === "list" ? each.observations : []));
  const urls = new Set(findSources(context).map(({ url }) => url));
  const last = [...urls].flatMap((url) => captured.statesOf(url, { until: Number.MAX_SAFE_INTEGER }).at(-1) ?? []);
  return [...new Set([...[...located, ...listed].flatMap((number) => captured.find(number) ?? []), ...last])];
}

/** For each thing that the claim cites on the page, the lists that it may come from. */
function* findHoldingSets(page: CapturedPage, sets: readonly RecordSet[], context: Case): Generator<RecordSet[]> {
  const { claim, captured } = context;
  for (const each of claim.conditions) {
    if (each.kind !== "list" || !each.observations.some((number) => captured.find(number) === page)) continue;
    yield sets.filter(({ name }) => foldVisible(name) === foldVisible(each.name));
  }
  const texts = sets.map((set) => ({ set, rows: set.rows.map(({ node }) => readText(node)) }));
  const own = findSources(context).filter(({ url }) => isSamePage(url, page.url));
  for (const quote of new Set(own.flatMap(({ quote }) => quote ?? []))) {
    yield texts.flatMap(({ set, rows }) => (rows.some((row) => findQuote(row, quote) !== null) ? [set] : []));
  }
  // How many rows it has.
  for (const { value } of own)
    yield sets.filter(({ region, rows }) => region === "main" && String(rows.length) === String(value));
}

/** The list on another state of its page; null when it is not clear which one it is. */
export function findSameList(set: RecordSet, page: CapturedPage): RecordSet | null {
  const alike = findLists(page).filter(
    (other) => other.kind === set.kind && (set.kind === "list" || other.columns.join("\n") === set.columns.join("\n")),
  );
  const named = alike.filter(({ name }) => name === set.name);
  const [only, ...others] = named.length > 0 ? named : alike;
  return others.length > 0 ? null : (only ?? null);
}

/** Whether two states of a list have the same rows in the same order. */
export function hasSameRows(one: RecordSet, other: RecordSet): boolean {
  const [own, theirs] = [one, other].map(({ rows }) => rows.map(({ node }) => withoutTimes(readText(node))).join("\n"));
  return own === theirs;
}

/** The states that the run has seen by then of a page, whatever its query was. */
export function findStatesUntil(until: number, page: CapturedPage, { captured }: Case): CapturedPage[] {
  return captured.list().filter((other) => other.observationNumber <= until && isSamePath(other.url, page.url));
}

function isSamePath(one: string, other: string): boolean {
  const [first, second] = [one, other].map((url) => url.replace(/\?[^#]*/, ""));
  return isSamePage(first ?? "", second ?? "");
}
