import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { readRecordSets, readRecordsAhead } from "../extraction/read-record-sets.ts";
import { titleOf } from "../extraction/record-set.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import { readText } from "../grounding/page-text.ts";
import { type Case, type Entry, findAllEntries, findFreshPage, findUntouched } from "./case.ts";
import type { Check } from "./check.ts";
import { isTelling } from "./check-kept.ts";
import { carriesEntry } from "./commit-entries.ts";
import { findDeletions, findTarget, withoutTimes } from "./deletions.ts";
import { findOtherSwitch, findSentSwitch } from "./other-switches.ts";
import { findSubmissions, isLookup } from "./sent-entries.ts";

const ABOUT = "Only what was asked for was changed";

/** A fresh page shows what a site made of a change besides: a second row, a row in another list, a switch that nobody touched. */
export function* checkExtra(context: Case): Generator<void, Check[]> {
  const finding = yield* findExtra(context);
  return finding === null ? [] : [{ about: ABOUT, verdict: "unknown", evidence: finding }];
}

function* findExtra(context: Case): Generator<void, string | null> {
  const entries = findAllEntries(context.steps);
  for (const entry of entries) {
    if (entry.kind !== "text" || !isTelling(entry.value) || isLookup(entry, context)) continue;
    const finding = (yield* findSecondRow(entry, context)) ?? findOtherPlace(entry, context);
    if (finding !== null) return finding;
    yield;
  }
  return findOtherSwitch(entries, context) ?? findSentSwitch(context) ?? findAlsoGone(context);
}

/** More rows of a list are gone than were deleted. Rows are known by their names, because deleting one may number the others anew. */
function findAlsoGone(context: Case): string | null {
  const deletions = findDeletions(context);
  for (const url of new Set(deletions.map((deletion) => deletion.url))) {
    const fresh = findFreshPage(context.freshPages, url);
    const before = findUntouched(url, context);
    if (fresh?.page == null || fresh.note !== null || before === undefined) continue;
    const left = new Set(listNames(fresh.page.root));
    const names = listNames(before.root);
    const gone = names.filter((name) => !left.has(name));
    const own = deletions.filter((deletion) => deletion.url === url);
    const other = gone.find((name) => !own.some(({ row }) => contains(row, name)));
    if (other === undefined || gone.length <= own.length || gone.length * 2 > names.length) continue;
    return `"${other.slice(0, 60)}" is gone in a fresh browser as well.`;
  }
  return null;
}

/** What the rows of tables and lists are called, by their titles or first words. */
function listNames(root: ObservedNode): string[] {
  const sets = readRecordSets(root).filter(({ kind }) => kind !== "labelled");
  const names = sets.flatMap((set) =>
    set.rows.flatMap((row) => {
      const texts = [titleOf(row, set)?.text, ...[...row.cells.values()].map(({ text }) => text)];
      return texts.find((text) => text !== undefined && /\p{L}{2}/u.test(text)) ?? [];
    }),
  );
  return [...new Set(names)];
}

/** More equal rows came to a list than were sent. */
function* findSecondRow(entry: Entry, context: Case): Generator<void, string | null> {
  const { value, url } = entry;
  const fresh = findFreshPage(context.freshPages, context.live.url) ?? findFreshPage(context.freshPages, url);
  const before = fresh === undefined ? undefined : findUntouched(fresh.url, context);
  if (fresh?.page == null || fresh.note !== null || before === undefined) return null;
  const submissions = findSubmissions(context);
  if (submissions.length === 0 || !contains(fresh.page.text, value)) return null;
  const sent = submissions.filter(({ accepted }) => accepted.some((each) => carriesEntry(each, entry) !== "no"));
  for (const root of [before.root, fresh.page.root]) yield* readRecordsAhead(root);
  const old = countRows(before.root, value);
  // First name and last name may be the same.
  const alike = findAllEntries(context.steps).filter((each) => each.value === value);
  const most = Math.max(sent.length, 1) * Math.max(alike.length, 1);
  yield;
  for (const [row, count] of countRows(fresh.page.root, value)) {
    const added = count - (old.get(row) ?? 0);
    if (added > most) return `A fresh browser shows ${added} new rows "${row.slice(0, 80)}".`;
  }
  return null;
}

/** The rows with a text, and the most that one list has of each. */
function countRows(root: ObservedNode, text: string): Map<string, number> {
  const most = new Map<string, number>();
  const lists = readRecordSets(root).filter(({ kind }) => kind !== "labelled");
  for (const rows of [...lists.map((list) => list.rows.map(({ node }) => node)), ...findRowsTogether(root)]) {
    const texts = rows.map((node) => withoutTimes(readText(node))).filter((row) => contains(row, text));
    for (const row of texts) most.set(row, Math.max(most.get(row) ?? 0, texts.filter((each) => each === row).length));
  }
  return most;
}

const ROWS: ReadonlySet<string> = new Set(["row", "listitem", "article", "blockquote", "comment", "treeitem"]);

/** Rows beside each other, also where they read as labels with values: "Mei Tanaka: I will take it". */
function findRowsTogether(root: ObservedNode): ObservedNode[][] {
  return [...walk(root)].flatMap(({ node }) => {
    const rows = node.children.filter(({ role }) => ROWS.has(role));
    return rows.length > 1 ? [rows] : [];
  });
}

/** In the run's own tab it came to the part of the page where it was entered, and in a fresh browser to another part. */
function findOtherPlace(entry: Entry, context: Case): string | null {
  const { steps, captured, live, freshPages } = context;
  const step = steps.find((each) => each.step === entry.step);
  const ancestors = (step === undefined ? null : findTarget(step, captured))?.visit.ancestors ?? [];
  const part = ancestors.findLast(({ role, name }) => role === "region" && name.trim() !== "")?.name;
  const fresh = findFreshPage(freshPages, entry.url);
  if (part === undefined || fresh?.page == null || fresh.note !== null || !isSamePage(live.url, entry.url)) return null;
  const [own, now] = [live.root, fresh.page.root].map((root) => findPart(root, part));
  if (own == null || now == null || !contains(readText(own), entry.value) || contains(readText(now), entry.value))
    return null;
  if (!contains(fresh.page.text, entry.value)) return null;
  return `"${entry.value.slice(0, 60)}" belongs under "${part.slice(0, 40)}", and a fresh browser shows it elsewhere.`;
}

function findPart(root: ObservedNode, name: string): ObservedNode | null {
  const parts = [...walk(root)].filter(({ node }) => node.role === "region" && node.name === name);
  return parts.length === 1 ? (parts[0]?.node ?? null) : null;
}
