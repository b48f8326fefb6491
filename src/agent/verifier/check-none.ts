import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { MergedPages } from "../extraction/merged-pages.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim, Condition } from "../grounding/claim.ts";
import { asksForInformation, withoutQuotedText } from "../grounding/english-words.ts";
import { redactUrl } from "../safe-text.ts";
import { type Case, findFreshPage } from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";
import { findList, findTotal, findUnread, readLists } from "./whole-lists.ts";

type ListCondition = Extract<Condition, { kind: "list" }>;
type AbsentCondition = Extract<Condition, { kind: "absent" }>;

/** The list is read again from what the run saw: as many rows as the claim says, on all pages, each with what it was chosen by. */
export function checkList({ about, observations, name, rows, columns }: ListCondition, { captured }: Case): Check {
  const pages = observations.map((number) => captured.find(number));
  const read = pages.filter((page) => page !== null);
  if (read.length === 0 || read.length < pages.length) {
    return { about, verdict: "unknown", evidence: "Not all pages of the list were kept, so it cannot be read again." };
  }
  const list = findList(readLists(read), name, rows);
  if (list === null)
    return { about, verdict: "unknown", evidence: "It is not clear which list of the pages is meant." };
  const found = list.set.rows;
  const fault = findPartial(list, read, captured.list());
  if (found.length !== rows) {
    const evidence = `The claim says that the list has ${rows} rows; the pages show ${found.length}.`;
    return { about, verdict: "contradicted", evidence };
  }
  if (fault !== null) return { about, verdict: "unknown", evidence: fault };
  for (const column of columns) {
    const silent = found.filter(({ cells }) => (cells.get(column)?.whole ?? "").trim() === "").length;
    if (silent === 0) continue;
    const evidence = `${silent} of ${found.length} rows say nothing in the column "${column.slice(0, 60)}".`;
    return { about, verdict: "unknown", evidence };
  }
  const evidence = `${found.length} rows on ${list.pages === 1 ? "1 page" : `${list.pages} pages`}, and no more follow.`;
  return { about, verdict: "satisfied", evidence };
}

function findPartial(
  { set, unseen }: MergedPages,
  read: readonly CapturedPage[],
  seen: readonly CapturedPage[],
): string | null {
  const rows = set.rows.length;
  if (set.unreadRows > 0) return `${set.unreadRows} rows of the list could not be read.`;
  if (unseen !== null) return unseen;
  const total = findTotal(read);
  if (total !== null && total > rows) return `The pages say that there are ${total}; ${rows} rows were read.`;
  // Pages of one URL grow or turn in place: only the last state says whether the list goes on.
  const last = read.filter((page, index) => !read.slice(index + 1).some(({ url }) => isSamePage(url, page.url)));
  const open = findUnread(last, [...read, ...seen]);
  return open === undefined ? null : `The list at ${redactUrl(open.url)} continues on a page that was not read.`;
}

/** A fresh page does not show the text, and does not lead on to another one that might. */
export function checkAbsent({ about, url, text }: AbsentCondition, { freshPages, captured }: Case): Check {
  const fresh = findFreshPage(freshPages, url);
  if (fresh?.page == null || fresh.note !== null) {
    return { about, verdict: "unknown", evidence: `${redactUrl(url)} could not be read again.` };
  }
  if (contains(foldVisible(fresh.page.text), foldVisible(text))) {
    const evidence = `A fresh browser shows "${text.slice(0, 80)}" on ${redactUrl(url)}.`;
    return { about, verdict: "contradicted", evidence };
  }
  if (findUnread([fresh.page], captured.list()) !== undefined) {
    const evidence = `The list at ${redactUrl(url)} continues on a page that was not read.`;
    return { about, verdict: "unknown", evidence };
  }
  if (isIncomplete(fresh.page, text, captured.list())) {
    const evidence = `A fresh browser shows nothing of what was beside it on ${redactUrl(url)}, either.`;
    return { about, verdict: "unknown", evidence };
  }
  return { about, verdict: "satisfied", evidence: `A fresh browser does not show it on ${redactUrl(url)}.` };
}

/** So many lines on each side of what is gone. */
const BESIDE = 2;

/** What was beside it, and still is in the run's own tab, is missing too: the page has not loaded its list. */
function isIncomplete(fresh: CapturedPage, text: string, pages: readonly CapturedPage[]): boolean {
  const states = pages.filter(({ url }) => isSamePage(url, fresh.url)).map(linesOf);
  const before = states.find((lines) => lines.some((line) => contains(line, text))) ?? [];
  const at = before.findIndex((line) => contains(line, text));
  const beside = before.slice(Math.max(0, at - BESIDE), at + BESIDE + 1).filter((line) => !contains(line, text));
  const left = beside.filter((line) => states.at(-1)?.includes(line));
  const shown = linesOf(fresh);
  return left.length > 0 && !left.some((line) => shown.includes(line));
}

function linesOf({ root }: CapturedPage): string[] {
  return toPageLines(root).map(({ text }) => text);
}

const SAYS_NONE =
  /^(?:there (?:is|are|was|were) |you have |(?:i |we )?found |(?:it|the [a-z]+) (?:has|have|shows|contains?) )?(?:no (?!longer|problem|change|further|issue|need|one\b)[a-z]|none\b|zero\b|0(?![\d.,:%])|nothing\b)/i;
/** How pages say it: "No results", "0 items", "Your cart is empty". */
const STATES_NONE =
  /\b(?:no|none|nothing|zero|empty|not any|never)\b|(?<![\d.,])0(?![\d.,]*\d)|\bwithout\b|\bnot found\b|n['’]t\b/i;

/**
 * Unknown is never none: a claim that there are none rests on a page that says so, on a list that was read as a whole, or on a
 * page that was found not to show it.
 */
export function checkNone(context: Case): Check[] {
  const { claim } = context;
  if (!claimsNone(context) || claim.conditions.some(({ kind }) => kind === "list" || kind === "absent")) return [];
  if (statedBy(claim).some((text) => STATES_NONE.test(text))) return [];
  const cited = findCited(context);
  const isShown = cited.some((page) => hasWholeList(page, context) || saysNone(page));
  if (isShown) return [];
  const evidence = "No page that the claim rests on says so, and no list was read to its end.";
  return [{ about: "There really are none", verdict: "unknown", evidence }];
}

function claimsNone({ claim, task }: Case): boolean {
  if (hasEmptyList(claim.extraction?.data)) return true;
  const asks = asksForInformation(withoutQuotedText(task.prompt));
  const isZero = claim.facts.some(({ value }) => value === 0 || value === "0");
  return asks && (isZero || claim.answer.split(/\n|(?<=[.!?])\s/).some((line) => SAYS_NONE.test(line.trim())));
}

function hasEmptyList(data: unknown): boolean {
  if (typeof data !== "object" || data === null) return false;
  return (Array.isArray(data) && data.length === 0) || Object.values(data).some(hasEmptyList);
}

function statedBy({ facts, extraction, conditions }: Claim): string[] {
  return [
    ...facts.map(({ quote }) => quote ?? ""),
    ...(extraction?.leaves ?? []).map(({ quote }) => quote ?? ""),
    ...conditions.map((each) => (each.kind === "text" ? each.text : "")),
  ];
}

/** The last state of each page that the claim cites; the last page of the run where it cites none. */
function findCited({ claim, captured, live }: Case): CapturedPage[] {
  const cited = [...claim.facts, ...(claim.extraction?.leaves ?? [])].map(({ url }) => url);
  const urls = [...new Set([...cited, ...(hasEmptyList(claim.extraction?.data) ? [live.url] : [])])];
  const pages = captured.list();
  return urls.flatMap((url) => pages.findLast((page) => isSamePage(page.url, url)) ?? []);
}

function hasWholeList(page: CapturedPage, { captured }: Case): boolean {
  return readLists([page]).some((list) => {
    return list.set.region === "main" && findPartial(list, [page], captured.list()) === null;
  });
}

const MAX_LINE = 100;
const EMPTY_LINE =
  /^(?:there (?:is|are) )?(?:no|nothing|0)\b|\b(?:no|0) [\p{L}\s]{1,40}\b(?:found|yet|available|match|matching|results?|items?)\b|\b(?:is|are) empty\b/iu;

function saysNone({ root }: CapturedPage): boolean {
  return toPageLines(root).some(({ text }) => text.length <= MAX_LINE && EMPTY_LINE.test(text));
}
