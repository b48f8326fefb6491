import { labelOf as nameOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { type Case, type Entry, findFreshPage, findUntouched, isEntry, labelOf } from "./case.ts";
import { findSubmissions, type Submission } from "./sent-entries.ts";
import { CHANGES_ROW } from "./unchanged-rows.ts";

/** One switch may be for several others. */
const FOR_ALL = /\b(?:all|every|everything|master)\b/i;

/** It was as before in the run's own tab, so the page itself has not changed it along with another one. */
export function findOtherSwitch(entries: readonly Entry[], context: Case): string | null {
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
    if (isOther && !touched.has(label)) return describe(label, state, own.get(label));
  }
  return null;
}

/** A step that changes many switches at once. */
const FOR_MANY = new RegExp(`${FOR_ALL.source}|\\b(?:none|reset|restore|defaults?)\\b`, "i");

/**
 * The page that came when a form was sent shows it already. Before that it was as at first in the last page that the run saw, so the
 * page itself has not changed it along with another one.
 */
export function findSentSwitch(context: Case): string | null {
  const touched = new Set(context.steps.map(({ call }) => labelOf(call)));
  if ([...touched].some((label) => FOR_MANY.test(label))) return null;
  const commits = findSubmissions(context);
  for (const commit of commits) {
    // What "Publish" turns off is what it is for.
    if (CHANGES_ROW.test(labelOf(commit.call).trim()) || !isFormSeen(commit, context)) continue;
    const finding = findChangedBy(commit, { touched, isLast: commit === commits.at(-1) }, context);
    if (finding !== null) return finding;
  }
  return null;
}

/** Whether something was entered on the page before the commit, and the run has seen the page since then. */
function isFormSeen({ step, url, seen }: Submission, { steps }: Case): boolean {
  const own = steps.filter((each) => each.step < step && isEntry(each.call) && isSamePage(each.url, url));
  const last = own.at(-1)?.seen;
  return last != null && seen !== null && last.observationNumber < seen.observationNumber;
}

interface Commits {
  readonly touched: ReadonlySet<string>;
  readonly isLast: boolean;
}

function findChangedBy(commit: Submission, { touched, isLast }: Commits, context: Case): string | null {
  const { captured, freshPages } = context;
  const fresh = findFreshPage(freshPages, commit.url);
  const first = findUntouched(commit.url, context);
  const last = captured.before(commit.url, commit.seen);
  if (fresh?.page == null || fresh.note !== null || first === undefined || last === undefined) return null;
  const [was, own, now] = [first.root, last.root, fresh.page.root].map(readSwitches);
  const came = commit.after === null ? null : readSwitches(commit.after);
  for (const [label, before] of own ?? []) {
    const state = now?.get(label) ?? null;
    const isOther = before !== null && state !== null && state !== before && was?.get(label) === before;
    // The page that came may not show it.
    const isOfCommit = came?.has(label) === true ? came.get(label) === state : isLast;
    if (isOther && isOfCommit && !touched.has(label)) return describe(label, state, before);
  }
  return null;
}

function describe(label: string, state: string, before: string | null | undefined): string {
  return `"${label.slice(0, 60)}" is ${state} in a fresh browser, and was ${before}.`;
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
