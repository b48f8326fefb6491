import { type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import { contains } from "../grounding/captured-pages.ts";
import { isField, readText } from "../grounding/page-text.ts";
import { type Case, type FreshPage, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { findEntriesBefore } from "./commit-entries.ts";
import { findShown } from "./commit-lines.ts";
import { findTarget } from "./deletions.ts";
import { toPageLines } from "./page-lines.ts";
import { findSubmissions, type Submission } from "./sent-entries.ts";

const ABOUT = "What was added is in the basket, as often as asked";

const BASKET = "basket|cart|bag|trolley";
/** One thing: a bundle may be several. */
const ADDS = new RegExp(`^add (?!all\\b|both\\b|bundle\\b|set\\b)\\D*\\b(?:${BASKET})$`, "i");
const IS_EMPTY = new RegExp(
  `\\b(?:${BASKET})\\b[^.!?]{0,20}\\bempty\\b|\\b(?:no|0) (?:items?|products?|articles?)\\b[^.!?]{0,20}\\b(?:${BASKET})\\b`,
  "i",
);
const QUANTITY = /\b(?:qty|quantity|amount|number|pieces|copies|count|how many)\b/i;

/** A page with the basket knows better than a message above it whether the thing was added, and how many. */
export function checkBasket(context: Case): Check[] {
  const last = findSubmissions(context).at(-1);
  if (last === undefined || !ADDS.test(labelOf(last.call).trim())) return [];
  const found = findEmpty(last, context) ?? findOtherQuantity(last, context) ?? findHigherCount(context);
  return found === null ? [] : [{ about: ABOUT, ...found }];
}

type Finding = Pick<Check, "verdict" | "evidence">;

/** The run's own tab must say so as well: a fresh page that loads the basket with a request that may change something has none. */
function findEmpty(commit: Submission, context: Case): Finding | null {
  const emptyLines = (root: ObservedNode) =>
    toPageLines(root).flatMap(({ text }) => (text.length <= MAX_LINE && IS_EMPTY.test(text) ? [text] : []));
  const own = new Set(findShown(commit, context).flatMap(({ root }) => emptyLines(root)));
  const line = loaded(context)
    .flatMap(({ root }) => emptyLines(root))
    .find((text) => own.has(text));
  if (line === undefined) return null;
  return { verdict: "contradicted", evidence: `After "${labelOf(commit.call)}" a fresh browser shows "${line}"` };
}

const MAX_LINE = 100;

function loaded({ freshPages }: Case) {
  return freshPages.flatMap(({ page, note }: FreshPage) => (page === null || note !== null ? [] : [page]));
}

/** There may have been some before, so only a lower quantity says that it is another one. */
function findOtherQuantity(commit: Submission, context: Case): Finding | null {
  const page = findTarget(commit, context.captured)?.page;
  const asked = askedBy(commit, context);
  const title = page === undefined ? undefined : findTitle(page.root);
  if (title === undefined) return null;
  const held = loaded(context).flatMap(({ root, url }) =>
    readRecordSets(root, url)
      .filter(({ kind }) => kind !== "labelled")
      .flatMap(({ rows }) => rows.filter(({ node }) => contains(readText(node), title)))
      .flatMap(({ node }) => readQuantity(node)),
  );
  if (held.length === 0 || held.some((each) => each >= asked)) return null;
  const evidence = `${asked} × "${title.slice(0, 60)}" were to be added, and a fresh browser shows ${held.join(" or ")}.`;
  return { verdict: "contradicted", evidence };
}

function findTitle(root: ObservedNode): string | undefined {
  const titles = [...walk(root)].filter(({ node }) => node.role === "heading" && node.states.level === 1);
  return titles.length === 1
    ? titles.map(({ node }) => textOf(node).trim()).find((text) => text.length > 2)
    : undefined;
}

function readQuantity(row: ObservedNode): number[] {
  const fields = [...walk(row)].map(({ node }) => node).filter((node) => isField(node) && QUANTITY.test(node.name));
  return fields.flatMap(({ value }) => (/^\d{1,4}$/.test(value?.trim() ?? "") ? [Number(value)] : []));
}

/** How many a step adds: what was entered as their number, else one. */
function askedBy(commit: Submission, context: Case): number {
  const entry = findEntriesBefore(commit, context).findLast(
    ({ label, value }) => QUANTITY.test(label) && /^\d{1,4}$/.test(value.trim()),
  );
  return entry === undefined ? 1 : Number(entry.value);
}

const COUNT = new RegExp(`\\b(?:${BASKET})\\b\\W{0,3}(\\d{1,4})\\b(?![.,]?\\d)`, "i");

/** "Basket (2)" counts the things or their kinds, and there cannot be more new ones than were added. */
function findHigherCount(context: Case): Finding | null {
  const submissions = findSubmissions(context);
  const first = submissions.findIndex(({ call }) => ADDS.test(labelOf(call).trim()));
  const adding = submissions.slice(first);
  if (!adding.every(({ call }) => ADDS.test(labelOf(call).trim()))) return null;
  const page = adding[0] === undefined ? undefined : findTarget(adding[0], context.captured)?.page;
  const before = page === undefined ? null : readCount(page.root);
  const asked = adding.reduce((sum, each) => sum + askedBy(each, context), 0);
  const counts = loaded(context).flatMap(({ root }) => readCount(root) ?? []);
  const now = Math.min(...counts);
  if (before === null || counts.length === 0 || now - before <= asked) return null;
  return {
    verdict: "unknown",
    evidence: `${asked} were to be added, and the basket had ${before} before and has ${now} now.`,
  };
}

/** The count on the link or button to the basket. */
function readCount(root: ObservedNode): number | null {
  const names = [...walk(root)].flatMap(({ node }) =>
    node.role === "link" || node.role === "button" ? [node.name.trim()] : [],
  );
  const counts = names.flatMap((name) => (name.length <= MAX_NAME ? (COUNT.exec(name)?.[1] ?? []) : []));
  return counts.length === 1 ? Number(counts[0]) : null;
}

const MAX_NAME = 30;
