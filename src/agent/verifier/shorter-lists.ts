import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import { contains } from "../grounding/captured-pages.ts";
import { readText } from "../grounding/page-text.ts";
import type { Case, FreshPage } from "./case.ts";
import { findShown } from "./commit-lines.ts";
import { isDeleting, withoutTimes } from "./deletions.ts";
import type { Submission } from "./sent-entries.ts";

/**
 * A deletion where a list stands beside what is open, as in a mailbox, goes on to another entry or to none. The list has lost the entry
 * that was open, and only that one, both in the run's own tab and in a fresh browser.
 */
export function isListedNoMore({ page }: FreshPage, commit: Submission, context: Case): boolean {
  const before = commit.seen === null ? null : context.captured.find(commit.seen.observationNumber);
  if (page === null || before === null || !isDeleting(commit, context)) return false;
  const now = listsOf(page.root);
  const own = findShown(commit, context).flatMap(({ root }) => listsOf(root));
  return listsOf(before.root).some((list) =>
    now.some((shorter) => {
      const lost = findLost(list, shorter);
      return lost !== null && own.some((other) => isSameList(other, shorter)) && isOpenBeside(list, lost, before.root);
    }),
  );
}

interface ListEntry {
  readonly node: ObservedNode;
  readonly text: string;
}
type List = readonly ListEntry[];

function listsOf(root: ObservedNode): List[] {
  return readRecordSets(root)
    .filter(({ kind }) => kind !== "labelled")
    .map(({ rows }) => rows.map(({ node }) => ({ node, text: withoutTimes(readText(node)) })));
}

function isSameList(one: List, other: List): boolean {
  return one.length === other.length && one.every(({ text }, index) => text === other[index]?.text);
}

/** The entry without which the list is the shorter one; null when it is not. */
function findLost(list: List, shorter: List): ListEntry | null {
  const index = list.findIndex(({ text }, at) => text !== shorter[at]?.text);
  return shorter.length > 0 && isSameList(list.toSpliced(index, 1), shorter) ? (list[index] ?? null) : null;
}

/** Whether a text that only this entry of the list has stands elsewhere on the page as well. */
function isOpenBeside(list: List, entry: ListEntry, root: ObservedNode): boolean {
  const others = list.filter((other) => other !== entry);
  const own = [...walk(entry.node)]
    .flatMap(({ node }) => (node.children.length === 0 ? [node.name] : []))
    .filter((name) => /\p{L}{3}/u.test(name) && !others.some(({ text }) => contains(text, name)));
  const nodes = new Set(list.map(({ node }) => node));
  return walk(root).some(({ node, ancestors }) => {
    const isInList = nodes.has(node) || ancestors.some((each) => nodes.has(each));
    return node.children.length === 0 && !isInList && own.some((name) => contains(node.name, name));
  });
}
