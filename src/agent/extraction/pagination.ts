import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { parseAmount } from "../grounding/amounts.ts";
import { readText } from "../grounding/page-text.ts";
import { leadsToNextPart } from "./page-urls.ts";
import { readRecordSets } from "./read-record-sets.ts";
import type { RecordSet } from "./record-set.ts";

const NEXT = /^(?:go to )?(?:the )?(?:next(?: page| results| \d+)?|older(?: \p{L}+)?)\s*[›»→>]*$/iu;
const ARROW = /^(?:›|»|→|>|>>|❯|▶)$/;
const MORE =
  /^(?:load|show|view|see) (?:\d+ )?more(?: (?!about|details|info|options|less)[\w ]{1,30})?$|^more results$/i;
const PREVIOUS = /^(?:‹|«|←|<|<<|prev(?:ious)?(?: page)?|newer(?: posts| entries)?|back)$|^[‹«←<]\s*prev/i;
const PAGE_NUMBER = /^(?:go to |page )*(\d{1,5})$/i;
const PAGE_OF = /\bpage\s+(\d{1,5})\s+(?:of|\/)\s+(\d{1,5})\b/i;

/**
 * The control that leads to the rest of a list: Next, an arrow, "Load more", or the number after the current page. Null on the
 * last page, when it is disabled, and when several lead to different pages. A bare "Next" button may be the next step of a
 * form, so it counts only beside page numbers or a "Previous" button.
 */
export function findNextPage(root: ObservedNode, pageUrl: string | null = null): ObservedNode | null {
  if (isComplete(root)) return null;
  const isCounted = findPageNumbers(root) !== null;
  const pagers = findPagers(root);
  for (const pager of pagers) {
    const isNumbered = isCounted || pager.items.some((item) => PAGE_NUMBER.test(nameOf(item)));
    const next = pager.items.filter((item) => isNext(item) || isArrow(item, pager));
    if (next.length > 0) return chooseOne(next.filter((item) => isNumbered || leadsOnInList(item, pageUrl)));
  }
  const more = findControls(root).filter((node) => MORE.test(nameOf(node)));
  if (more.length > 0) return chooseOne(more);
  if (isLastPage(root)) return null;
  const links = findControls(root)
    .filter((node) => node.role === "link" && isNext(node))
    .filter((node) => isCounted || leadsOnInList(node, pageUrl));
  if (links.length > 0) return chooseOne(links);
  for (const pager of pagers) {
    const next = findNumberAfterCurrent(pager, pageUrl);
    if (next !== null) return next;
  }
  return null;
}

const PAGES = /page|results|posts|entries|messages|\d/i;

/** A bare "Next" is also the way to the next chapter, post or product. Its URL tells them apart. */
function leadsOnInList(node: ObservedNode, pageUrl: string | null): boolean {
  if (node.url === null || pageUrl === null || PAGES.test(nameOf(node))) return true;
  return leadsToNextPart(node.url, pageUrl);
}

interface Pager {
  readonly items: readonly ObservedNode[];
  readonly hasPrevious: boolean;
  /** Whether the numbers are links or inside a navigation, unlike those of a calendar. */
  readonly hasPageNumbers: boolean;
}

/** The innermost nodes with page numbers, or with both a way back and a way on. */
function findPagers(root: ObservedNode): Pager[] {
  const pagers: Pager[] = [];
  const visit = (node: ObservedNode): boolean => {
    const isInside = node.children.map(visit).some(Boolean);
    if (isInside || node.children.length < 2 || node.role === "row" || node.role === "grid") return isInside;
    const items = findItems(node);
    const numbers = items.filter((item) => PAGE_NUMBER.test(nameOf(item)));
    const hasPrevious = items.some((item) => PREVIOUS.test(nameOf(item)));
    const isPager = isSequence(numbers) || (items.some(leadsOn) && (hasPrevious || numbers.length > 0));
    const hasPageNumbers = node.role === "navigation" || numbers.some(({ url }) => url !== null);
    if (isPager) pagers.push({ items, hasPrevious: hasPrevious || numbers.length > 0, hasPageNumbers });
    return isPager;
  };
  visit(root);
  return pagers;
}

/** The controls and texts of a small node, including those in list items. */
function findItems(node: ObservedNode): ObservedNode[] {
  return node.children.length > 30 ? [] : node.children.flatMap(toItems);
}

function toItems(node: ObservedNode): ObservedNode[] {
  if (isControl(node) || node.children.length === 0) return [node];
  const isBox = ["listitem", "list", "generic", "strong", "emphasis"].includes(node.role) && node.children.length <= 30;
  return isBox ? node.children.flatMap(toItems) : [];
}

function isSequence(numbers: readonly ObservedNode[]): boolean {
  const values = numbers.map(numberOf);
  if (values.length < 2 || !numbers.some(isControl)) return false;
  return values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0)) && values.some(isFollowed);
}

function isFollowed(value: number, _: number, values: readonly number[]): boolean {
  return values.includes(value + 1);
}

function isNext(node: ObservedNode): boolean {
  return NEXT.test(nameOf(node));
}

/** Arrows without a URL turn the pictures of a gallery. */
function leadsOn(node: ObservedNode): boolean {
  return isNext(node) || (node.url !== null && ARROW.test(nameOf(node)));
}

function isArrow(node: ObservedNode, { hasPrevious }: Pager): boolean {
  return hasPrevious && isControl(node) && ARROW.test(nameOf(node));
}

/** The controls above and below a list often lead to the same page. Text that is not a control is a disabled one. */
function chooseOne(nodes: readonly ObservedNode[]): ObservedNode | null {
  const single = nodes.filter((node) => !ARROW.test(nameOf(node)) || nameOf(node).length === 1);
  const usable = (single.length > 0 ? single : nodes).filter(
    (node) => isControl(node) && node.states.disabled !== true,
  );
  const [first] = usable;
  if (first === undefined) return null;
  const isOne = usable.every(({ url, role, name }) =>
    url === null ? role === first.role && name === first.name : url === first.url,
  );
  // Beside "›", a "»" leads to the last page: the first of the two is the next page.
  return isOne || usable.every((node) => ARROW.test(nameOf(node))) ? first : null;
}

/** "Page 2 of 5" */
function findPageNumbers(root: ObservedNode): { page: number; pages: number } | null {
  const [, page, pages] = PAGE_OF.exec(readText(root)) ?? [];
  return page === undefined ? null : { page: Number(page), pages: Number(pages) };
}

function isLastPage(root: ObservedNode): boolean {
  const numbers = findPageNumbers(root);
  return numbers !== null && numbers.page >= numbers.pages;
}

/** A pager may be left over after "Load more" has put all rows in place: the page says how many there are. */
function isComplete(root: ObservedNode): boolean {
  const totals = findStatusLines(root).flatMap(readWholeCount);
  if (totals.length === 0) return false;
  const lengths = readRecordSets(root)
    .filter(({ region, kind }) => region === "main" && kind !== "labelled")
    .map(({ rows }) => rows.length);
  return totals.includes(Math.max(1, ...lengths));
}

const COUNT = /^(?:all|found|showing(?: all)?)?\s*(\d[\d.,]*)\s+(?!of\b|per\b)\p{L}+(?: found)?$/iu;

/** "1–72 of 72" and "72 products": the total, where the line says that all of it is shown. */
function readWholeCount(line: string): number[] {
  const part = readPart(line);
  if (part !== null) return part.shown === part.total && part.last === part.total ? [part.total] : [];
  const count = parseAmount(COUNT.exec(line)?.[1] ?? "")?.value;
  return count === undefined ? [] : [count];
}

/** The current page is the number that is not a link, or links to the current URL. */
function findNumberAfterCurrent({ items, hasPageNumbers }: Pager, pageUrl: string | null): ObservedNode | null {
  if (!hasPageNumbers) return null;
  const numbers = items.filter((item) => PAGE_NUMBER.test(nameOf(item)));
  const current = numbers.filter((node) => isCurrent(node, pageUrl));
  const [only = findUnmarkedFirst(numbers, pageUrl)] = current;
  if (only === undefined || current.length > 1) return null;
  const next = numbers.find((node) => numberOf(node) === numberOf(only) + 1);
  return next !== undefined && isControl(next) && next.states.disabled !== true ? next : null;
}

const NAMES_PAGE = /[?&](?:page|p|pg|start|offset|from)=|\/(?:page|p)\/?\d/i;

/** Where each number is a link and none is marked: the first page, if the URL does not name a page. */
function findUnmarkedFirst(numbers: readonly ObservedNode[], pageUrl: string | null): ObservedNode | undefined {
  const [first] = numbers;
  const isFirst = first !== undefined && numberOf(first) === 1 && pageUrl !== null && !NAMES_PAGE.test(pageUrl);
  return isFirst ? first : undefined;
}

function isCurrent(node: ObservedNode, pageUrl: string | null): boolean {
  const { disabled, selected, pressed } = node.states;
  if (!isControl(node) || disabled === true || selected === true || pressed === true) return true;
  return node.url !== null && node.url === pageUrl;
}

function findControls(root: ObservedNode): ObservedNode[] {
  return [...walk(root)].map(({ node }) => node).filter(isControl);
}

function isControl(node: ObservedNode): boolean {
  return node.role === "link" || node.role === "button";
}

function nameOf(node: ObservedNode): string {
  return readText(node).replace(/\s+/g, " ").trim();
}

function numberOf(node: ObservedNode): number {
  return Number(PAGE_NUMBER.exec(nameOf(node))?.[1]);
}

const RECORDS = new Set(["table", "grid", "treegrid", "list", "article", "navigation", "dialog"]);
const MAX_LENGTH = 80;
const SHOWN_OF = /(?:(\d[\d.,]*)\s*(?:-|–|—|to)\s*)?(\d[\d.,]*)\s+(?:out )?of\s+(?:about\s+)?(\d[\d.,]*)/i;

/**
 * Short lines of the main part outside of records: a count inside a record is not a total, nor is a quota beside the main part,
 * "5 of 50 invoices left".
 */
export function findStatusLines(root: ObservedNode): string[] {
  const main = walk(root).find(({ node }) => node.role === "main")?.node;
  return findLines(main ?? root);
}

function findLines(node: ObservedNode): string[] {
  if (RECORDS.has(node.role)) return [];
  if (node.children.length === 0 || node.children.every(({ role }) => role === "text")) {
    const text = readText(node);
    return text.length <= MAX_LENGTH ? [text] : [];
  }
  return node.children.flatMap(findLines);
}

/** The total that the page states, where its count of what it shows matches the rows. */
export function findStatedTotal(root: ObservedNode, { rows }: Pick<RecordSet, "rows">): number | null {
  const parts = findStatusLines(root).map(readPart);
  return parts.find((part) => part?.shown === rows.length && part.total > part.last)?.total ?? null;
}

/** How much of a list a line says is shown: "12 of 57", "1–12 of 57 products". A page number or a step says nothing of it. */
function readPart(line: string): { last: number; shown: number; total: number } | null {
  const match = SHOWN_OF.exec(line);
  if (match === null || /\b(?:page|step)\s*$/i.test(line.slice(0, match.index))) return null;
  const [first, last, total] = match.slice(1).map((number) => parseAmount(number ?? "")?.value);
  return last === undefined || total === undefined ? null : { last, shown: last - (first ?? 1) + 1, total };
}
