import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { readText } from "../grounding/page-text.ts";
import { isWithin, toPhrase } from "../grounding/similarity.ts";
import type { PageSource } from "./merged-pages.ts";
import { chooseList, nounOf } from "./questions/choose-list.ts";
import type { Question } from "./questions/question.ts";
import { readRecordSets } from "./read-record-sets.ts";
import type { RecordSet } from "./record-set.ts";

/** A list that shows only some of its items. */
export interface PartialList {
  /** Why, in a sentence. */
  readonly sign: string;
  /** The control that leads to the whole list; null when none clearly does. */
  readonly way: ObservedNode | null;
}

/** A page that the task navigated to may be filtered on purpose; the start page is not. */
export interface ListPage {
  readonly page: PageSource;
  /** Nothing was clicked, selected or typed to get here. */
  readonly isStart: boolean;
}

const SELECTION =
  /\b(?:featured|popular|picked|picks?|favou?rites?|highlights?|trending|best[- ]?sell(?:ers?|ing)|recommend(?:ed|ations)|related|similar|newest|latest|recent(?:ly)?|selected|selection|for you|also (?:like|bought)|inspiration|of the (?:day|week|month|season)|this (?:week|month|season))\b|^new$|\bnew (?:in|arrivals|products|items)\b|\btop (?:\d+|products|items|picks|rated|sellers)\b/i;
const SEE_ALL = /^(?:see|view|show|browse|shop|explore|discover|list)\s+(?:all|everything)\b\s*(.*)$/i;
const ALL = /^all\s+(.+)$/i;
const FRONT_PAGE = /^\/(?:index\.\w+|home|start|[a-z]{2}(?:-[a-z]{2})?)?\/?$/i;
const AROUND = new Set(["banner", "contentinfo", "navigation", "complementary"]);
const NUMBERS_AND_ARROWS = /[\d()›»→>]+|\b(?:the|our|of|my|your)\b/gi;

/** Null when nothing on the page says that the list is incomplete. Further pages of the list are not counted. */
export function findPartialList(question: Question, { page, isStart }: ListPage): PartialList | null {
  const noun = nounOf(question) ?? "";
  const choice = chooseList(question, readRecordSets(page.root, page.url));
  const set = choice.kind === "chosen" ? choice.set : null;
  const selection = set === null ? null : findSelection(set.name, question);
  const ways = findWays(set, noun, page)
    .filter(({ trust }) => trust === "always" || selection !== null || isFrontPage(page.url))
    .filter((way) => isStart || leadsOnFromHere(way, page.url));
  if (set === null && !ways.some(({ isNamed }) => isNamed)) return null;
  const sign = selection ?? ways[0]?.sign ?? null;
  if (sign === null) return null;
  const usable = ways.filter(({ isNamed }) => isStart || !isNamed);
  const [first] = usable;
  const isOne = usable.every(({ node }) => node.url === first?.node.url);
  return { sign, way: first !== undefined && isOne ? first.node : null };
}

/** On a search result, "show all products" only undoes the search. */
function leadsOnFromHere({ isNamed, trust }: WayOut, url: string): boolean {
  return trust === "always" && !(isNamed && url.includes("?"));
}

/** "Featured", "Picked for this season": unless the question is about just those, as "newest" is about the latest. */
function findSelection(name: string, question: Question): string | null {
  const word = SELECTION.exec(name)?.[0].toLowerCase();
  if (word === undefined || nounOf(question)?.toLowerCase().includes(word)) return null;
  const isOfNewest =
    question.kind === "value" &&
    question.subject.kind === "extreme" &&
    question.subject.by === "date" &&
    question.subject.direction === "most";
  return isOfNewest && /^(?:new|latest|recent)/.test(word) ? null : `The list "${name}" is a selection.`;
}

interface WayOut {
  readonly node: ObservedNode;
  readonly sign: string;
  /** Whether it names the items, and is not just next to the list. */
  readonly isNamed: boolean;
  /** front: it counts only next to a selection and on a site's front page, where lists are rarely complete. */
  readonly trust: "always" | "front";
}

function findWays(set: RecordSet | null, noun: string, { root, url }: PageSource): WayOut[] {
  const rows = new Set(set?.rows.map(({ node }) => node));
  const headingOfSet = findHeadingOf(root, set);
  const ways: WayOut[] = [];
  let heading = "";
  for (const { node, ancestors } of walk(root)) {
    if (ancestors.some((ancestor) => rows.has(ancestor))) continue;
    if (node.role === "heading") heading = readText(node);
    if (!isWayOut(node, url)) continue;
    const isAround = ancestors.some(({ role }) => AROUND.has(role));
    const kind = readWay(readText(node), noun, isAround, heading === headingOfSet);
    if (kind === null) continue;
    ways.push({ node, sign: `The page offers "${readText(node)}".`, ...kind });
  }
  return ways;
}

function readWay(
  name: string,
  noun: string,
  isAround: boolean,
  isBesideList: boolean,
): Pick<WayOut, "isNamed" | "trust"> | null {
  const rest = SEE_ALL.exec(name)?.[1]?.replace(NUMBERS_AND_ARROWS, "").trim();
  if (rest === "" && !isAround && isBesideList) return { isNamed: false, trust: "always" };
  if (rest !== undefined && rest !== "" && isSameNoun(rest, noun)) {
    return { isNamed: true, trust: isAround ? "front" : "always" };
  }
  const all = ALL.exec(name)?.[1] ?? (isAround ? name : "");
  return isSameNoun(all, noun) ? { isNamed: true, trust: "front" } : null;
}

function isFrontPage(url: string): boolean {
  return FRONT_PAGE.test(URL.parse(url)?.pathname ?? "") && !url.includes("?");
}

function isSameNoun(text: string, noun: string): boolean {
  const [wanted, named] = [toPhrase(noun), toPhrase(text)];
  return isWithin(wanted, named) && isWithin(named, wanted);
}

function isWayOut(node: ObservedNode, url: string): boolean {
  if (node.ref === null || node.states.disabled === true) return false;
  return node.role === "button" || (node.role === "link" && node.url !== null && !isHere(node.url, url));
}

function isHere(one: string, other: string): boolean {
  return one.split("#", 1)[0] === other.split("#", 1)[0];
}

/** The last heading before the list. */
function findHeadingOf(root: ObservedNode, set: RecordSet | null): string {
  const first = set?.rows[0]?.node;
  let heading = "";
  for (const { node } of walk(root)) {
    if (node === first) return heading;
    if (node.role === "heading") heading = readText(node);
  }
  return set?.name ?? "";
}
