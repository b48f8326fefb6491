import { type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { ListGathering } from "../extraction/list-gathering.ts";
import type { MergedPages } from "../extraction/merged-pages.ts";
import { findStatedTotal, findStatusLines } from "../extraction/pagination.ts";
import { type RecordSet, type Row, titleOf } from "../extraction/record-set.ts";
import { findUnreadSign } from "../extraction/unread-signs.ts";
import { parseAmounts } from "../grounding/amounts.ts";
import type { Fact } from "../grounding/claim.ts";
import { stemNoun } from "../grounding/names.ts";
import { chooseList, type ListChoice, type ReadPage, type WantedList } from "./lists.ts";
import { shorten } from "./names.ts";
import { findNarrowing } from "./narrowed-list.ts";
import type { Running, StepsRun } from "./run.ts";

const LOADING_MS = 700;

/** Scrolls until a list has ended that loads while scrolling, or holds only some of its rows. Returns the pages that show it. */
export function* growList(wanted: WantedList, run: StepsRun): Running<Observation[]> {
  const gathering = new ListGathering((pages) => {
    const choice = pages.length === 0 ? null : chooseList(pages, wanted);
    return choice?.kind === "chosen" ? choice.merged : null;
  });
  for (let next = gathering.add(run.observation); next !== null; next = gathering.add(run.observation)) {
    if (next === "wait") {
      yield* run.pause(LOADING_MS);
      yield* run.look("See whether more of the list has loaded.");
    } else yield* run.act([next], "Scroll to see whether the list goes on.");
  }
  if (gathering.problem !== null) throw run.stop("PARTIAL_LIST", gathering.problem);
  return [...gathering.pages];
}

const SELECTION =
  /\b(?:featured|popular|picked|picks?|favou?rites?|highlights?|trending|best[- ]?sell(?:ers?|ing)|recommend(?:ed|ations)|related|similar|recent(?:ly)?|latest|newest|selected|for you)\b/i;
/** "Closed issues" are not all issues. */
const STATE =
  /^(?:\p{L}{2,}ed|open|(?:in)?active|pending|overdue|(?:un)?paid|(?:un)?sent|drafts?|new|old|done|late|live|past|upcoming|unread)$/iu;
const SEE_ALL = /^(?:see|view|show|browse|list)\s+(?:all|everything)\b/i;
const FRONT_PAGE = /^\/(?:index\.\w+|home)?$/i;

/** A list called "Featured" or "Closed", or with "See all" below it, is not all there are. Neither is one of many on a front page. */
export function refuseSelection({ merged }: ListChoice & { kind: "chosen" }, noun: string, run: StepsRun): void {
  const { name, rows } = merged.set;
  const word = SELECTION.exec(name)?.[0] ?? name.split(/[^\p{L}]+/u).find((each) => STATE.test(each));
  if (word !== undefined && !noun.toLowerCase().includes(word.toLowerCase())) {
    throw run.stop(
      "PARTIAL_LIST",
      `The list "${shorten(name)}" is a selection. Open the whole list first, or name this one.`,
    );
  }
  const nodes = new Set(rows.map(({ node }) => node));
  const { root, url } = run.observation;
  const links = [...walk(root)].filter(
    ({ node, ancestors }) =>
      node.role === "link" && node.url !== url && !ancestors.some((ancestor) => nodes.has(ancestor)),
  );
  const stem = stemNoun(noun);
  const { pathname } = new URL(url);
  const isNamed = ({ name, url: to }: ObservedNode) =>
    stem !== "" && [stem, `all ${stem}`].includes(stemNoun(name)) && URL.parse(to ?? "")?.pathname !== pathname;
  const isAll = (link: string) =>
    SEE_ALL.test(link) && (stemNoun(link).includes(stem) || stemNoun(link).split(" ").length <= 2);
  const all =
    links.find(({ node }) => isAll(node.name)) ??
    (FRONT_PAGE.test(pathname) ? links.find(({ node }) => isNamed(node)) : undefined);
  if (all !== undefined) {
    throw run.stop(
      "PARTIAL_LIST",
      `The page offers "${shorten(all.node.name)}": click it first to ask about the whole list.`,
    );
  }
}

function refuseUnread(run: StepsRun): void {
  const sign =
    findUnreadSign(run.observation.root) ??
    (run.failedRequest === null ? null : `A request of the page failed: ${run.failedRequest}.`);
  if (sign !== null) throw run.stop("PARTIAL_LIST", `The list may not be complete. ${sign}`);
}

/** What is behind a tab or a filter that the steps have not chosen is not all there are. */
export function refuseNarrowed(rows: readonly Row[], noun: string, run: StepsRun): void {
  const nodes = rows.map(({ node }) => node);
  const narrowing = findNarrowing(nodes, noun, run);
  if (narrowing === null) return;
  throw run.stop(
    "PARTIAL_LIST",
    `The page shows only a part of the list, by ${narrowing.about}. Choose it in a step of its own if just this part is meant; otherwise remove it first.`,
  );
}

/** The list that is meant. On a page with very many rows that takes long, so it is not done again for the same page. */
export function chooseOnce(pages: readonly ReadPage[], wanted: WantedList, run: StepsRun): ListChoice {
  const isCurrent = pages.length === 1 && pages[0] === run.observation;
  const choose = () => chooseList(pages, wanted);
  return isCurrent ? run.once(`list ${JSON.stringify(wanted)}`, choose) : choose();
}

/** Stops unless as many rows were read as the pages say there are. */
export function demandWhole(merged: MergedPages, pages: readonly ReadPage[], wanted: WantedList, run: StepsRun): void {
  const { set, repeated } = merged;
  refuseUnread(run);
  if (repeated > 0 && !hasIdentity(set) && !isCumulative(set, pages, wanted, run))
    throw run.stop(
      "PARTIAL_LIST",
      `${repeated} rows are on two pages. Nothing says whether they are the same or only look the same.`,
    );
  if (set.unreadRows > 0)
    throw run.stop(
      "PARTIAL_LIST",
      `${set.unreadRows} rows of the list could not be read: they differ from the others.`,
    );
  const [first] = pages;
  const ofFirst = first === undefined ? null : chooseOnce([first], wanted, run);
  const shown =
    first === undefined || ofFirst?.kind !== "chosen" ? null : findStatedTotal(first.root, ofFirst.merged.set);
  const inName = Number(/\((\d{1,6})\)\s*$/.exec(set.name)?.[1] ?? 0);
  const total = Math.max(shown ?? 0, inName, ...findStated(pages, wanted.noun).map(({ value }) => Number(value)));
  if (total > set.rows.length) {
    throw run.stop("PARTIAL_LIST", `The page says that there are ${total}, but only ${set.rows.length} could be read.`);
  }
}

/** Whether each row has a page of its own. */
function hasIdentity(set: RecordSet): boolean {
  const urls = new Set(set.rows.map((row) => titleOf(row, set)?.url ?? null));
  return urls.size === set.rows.length && !urls.has(null);
}

/** "Load more" shows everything again. */
function isCumulative({ rows }: RecordSet, pages: readonly ReadPage[], wanted: WantedList, run: StepsRun): boolean {
  const last = chooseOnce(pages.slice(-1), wanted, run);
  return last.kind === "chosen" && last.merged.set.rows.length === rows.length;
}

/** "60 products" as a line of the page, outside of the list. */
function findStated(pages: readonly ReadPage[], noun: string): Fact[] {
  const stem = stemNoun(noun).split(" ").at(-1) ?? "";
  return pages.flatMap(({ root, url }) =>
    findStatusLines(root).flatMap((line) =>
      parseAmounts(line)
        .filter(({ unit, currency }) => unit !== null && currency === null && stem !== "" && stemNoun(unit) === stem)
        .map(({ value, quote }) => ({ label: `number of ${noun}`, value, quote, url })),
    ),
  );
}

const NONE_BEHIND =
  /^(?: (?:were|was|have been) (?:found|returned)| found| match\w*(?: .{1,60})?| yet| available| to (?:show|display)| here| for .{1,60})?[.!]?$/i;

/** The page says itself that there are none: "No products found.", "0 orders". Null when it does not say so. */
export function findStatedNone(noun: string, run: StepsRun): string | null {
  const none = findNoneLine(run.observation, noun);
  if (none === null) return null;
  refuseUnread(run);
  refuseNarrowed([], noun, run);
  return none;
}

function findNoneLine({ root }: ReadPage, noun: string): string | null {
  const stem = stemNoun(noun);
  if (stem === "") return null;
  const [main = root] = [...walk(root)].filter(({ node }) => node.role === "main").map(({ node }) => node);
  const lines = findStatusLines({ ...main, role: "main" });
  return (
    lines.find((line) => {
      const rest = /^(?:there (?:are|is) )?(?:no|0)\s+(.+)$/i.exec(line.trim())?.[1] ?? "";
      const words = rest.split(/\s+/);
      const count = stem.split(" ").length;
      return (
        stemNoun(words.slice(0, count).join(" ")) === stem &&
        NONE_BEHIND.test(` ${words.slice(count).join(" ")}`.trimEnd())
      );
    }) ?? null
  );
}

/** The verifier reads the list again: how many, none and all are true only of a whole list. */
export function claimWhole(
  { set }: MergedPages,
  pages: readonly Observation[],
  columns: readonly string[],
  run: StepsRun,
): void {
  run.conditions.push({
    kind: "list",
    observations: pages.map(({ number }) => number),
    name: set.name,
    rows: set.rows.length,
    columns,
    about: `${set.name === "" ? "The list" : `The list "${shorten(set.name)}"`} was read to its end`,
  });
}
