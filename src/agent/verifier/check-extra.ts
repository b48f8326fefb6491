import { labelOf as nameOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { readRecordSets, readRecordsAhead } from "../extraction/read-record-sets.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import { readText } from "../grounding/page-text.ts";
import { type Case, type Entry, findAllEntries, findFreshPage, findUntouched, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { isTelling } from "./check-kept.ts";
import { carriesEntry } from "./commit-entries.ts";
import { findTarget, withoutTimes } from "./deletions.ts";
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
  return findOtherSwitch(entries, context);
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
  yield;
  for (const [row, count] of countRows(fresh.page.root, value)) {
    const added = count - (old.get(row) ?? 0);
    if (added > Math.max(sent.length, 1)) return `A fresh browser shows ${added} new rows "${row.slice(0, 80)}".`;
  }
  return null;
}

/** The rows with a text, and the most that one list has of each. */
function countRows(root: ObservedNode, text: string): Map<string, number> {
  const most = new Map<string, number>();
  for (const { kind, rows } of readRecordSets(root)) {
    if (kind === "labelled") continue;
    const texts = rows.map(({ node }) => withoutTimes(readText(node))).filter((row) => contains(row, text));
    for (const row of texts) most.set(row, Math.max(most.get(row) ?? 0, texts.filter((each) => each === row).length));
  }
  return most;
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

/** One switch may be for several others. */
const FOR_ALL = /\b(?:all|every|everything|master)\b/i;

/** It was as before in the run's own tab, so the page itself has not changed it along with another one. */
function findOtherSwitch(entries: readonly Entry[], context: Case): string | null {
  const { live, freshPages, steps, writes } = context;
  const fresh = findFreshPage(freshPages, live.url);
  const before = findUntouched(live.url, context);
  const isHere = entries.some(({ url, label }) => isSamePage(url, live.url) && !FOR_ALL.test(label));
  const isSent = writes.some(({ write }) => write.isFirstParty);
  if (fresh?.page == null || fresh.note !== null || before === undefined || !isHere || !isSent) return null;
  const [was, own, now] = [before.root, live.root, fresh.page.root].map(readSwitches);
  const touched = new Set(steps.map(({ call }) => labelOf(call)));
  for (const [label, state] of now ?? []) {
    const isOther =
      state !== null && was?.get(label) === own?.get(label) && own?.get(label) != null && own.get(label) !== state;
    if (isOther && !touched.has(label))
      return `"${label.slice(0, 60)}" is ${state} in a fresh browser, and was ${own.get(label)}.`;
  }
  return null;
}

/** Whether switches and boxes are on; null where several have a label. */
function readSwitches(root: ObservedNode): Map<string, string | null> {
  const found = new Map<string, string | null>();
  for (const { node } of walk(root)) {
    const state = readState(node);
    const label = nameOf(node).trim();
    if (state !== null && label !== "") found.set(label, found.has(label) ? null : state);
  }
  return found;
}

function readState({ role, states }: ObservedNode): string | null {
  return SWITCHES.has(role) && states.disabled !== true && typeof states.checked === "boolean"
    ? states.checked
      ? "on"
      : "off"
    : null;
}

const SWITCHES: ReadonlySet<string> = new Set(["switch", "checkbox", "radio"]);
