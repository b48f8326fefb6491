import { labelOf, type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";
import { hasDescendant } from "../grounding/page-text.ts";
import { createSurroundings, type Surroundings, type Visit } from "./list-surroundings.ts";

const LOADING = /^(?:loading|please wait|fetching)\b[^.]{0,20}[.…]*$/i;

/** Whether a node says that a part of the page is still to come. */
export function saysLoading(node: ObservedNode): boolean {
  return (node.role === "progressbar" && node.isMeasured !== true) || LOADING.test(labelOf(node).trim());
}

const PAGE_COUNT = /^(?:page )?(\d{1,4}) ?(?:\/|of) ?(\d{1,4})$/i;

/**
 * A sign on the page that more of a list is to come, where nothing leads on to it. Without its rows, more of any list. If the next
 * page was read, more is expected, and only what is still loading is a sign.
 */
export function findUnreadSign(
  root: ObservedNode,
  rows: readonly ObservedNode[] = [],
  { isContinued = false } = {},
): string | null {
  const surroundings = createSurroundings(root, rows);
  for (const visit of walk(root)) {
    const sign = isContinued ? readLoadingSign(visit.node) : readUnreadSign(visit, surroundings);
    if (sign !== null && surroundings.isAbout(visit)) return sign;
  }
  return null;
}

function readLoadingSign(node: ObservedNode): string | null {
  return saysLoading(node) ? "It is still loading." : null;
}

function readUnreadSign(visit: Visit, surroundings: Surroundings): string | null {
  const { node, ancestors } = visit;
  const { role, states, field } = node;
  const name = labelOf(node).trim();
  const loading = readLoadingSign(node);
  if (loading !== null) return loading;
  const isMore = role === "button" && /^more$/i.test(name) && states.expanded === undefined;
  // Above a list, it opens a menu.
  if (isMore && !ancestors.some((each) => each.role === "toolbar") && surroundings.placeOf(visit) === "after")
    return 'It has a button "More".';
  if (field?.type === "select" && isPageList(node)) return "It has a list of pages.";
  return isPageCount(visit, surroundings) ? `The page says "${name}".` : null;
}

/** "1/8" below a picture counts pictures, and "5/12" alone is a date: a way back would be beside a page that is not the first. */
function isPageCount({ node, ancestors }: Visit, { holdsRows }: Surroundings): boolean {
  const [, page = "", pages = ""] = PAGE_COUNT.exec(labelOf(node).trim()) ?? [];
  if (page === "" || Number(page) >= Number(pages) || [node, ...ancestors].some(({ role }) => role === "time"))
    return false;
  const around = ancestors.findLastIndex(({ children }) => children.length > 1);
  const beside = ancestors[around]?.children ?? [];
  if (beside.some(isPicture)) return false;
  const at = beside.indexOf(ancestors[around + 1] ?? node);
  const near = [beside[at - 1], beside[at + 1]].filter((each) => each !== undefined && !holdsRows(each));
  const isNamed = /page/i.test(node.name);
  return (
    Number(page) === 1 ||
    isNamed ||
    near.some((each) => each !== undefined && (isPageControl(each) || hasDescendant(each, isPageControl)))
  );
}

const CONTROLS: ReadonlySet<string> = new Set(["button", "link", "textbox", "combobox", "spinbutton"]);
const TURNS_PAGES = /^\P{L}*$|\b(?:prev|previous|next|back|forward|first|last|page|left|right|older|newer|go)\b/iu;

/** A control that turns pages: an arrow, "Previous", or a field for the number. */
function isPageControl(node: ObservedNode): boolean {
  return CONTROLS.has(node.role) && TURNS_PAGES.test(labelOf(node).replaceAll("_", " "));
}

/** Icons are smaller. */
const MIN_PICTURE_PX = 100;

function isPicture({ role, box }: ObservedNode): boolean {
  return role === "img" && box !== null && Math.min(box.width, box.height) >= MIN_PICTURE_PX;
}

const TO_PAGE = /^(?:(?:go|jump) to)?(?: ?page\b|$)|^(?:of|\/) ?\d/i;
/** Text beside a field is taken for its label; a text of more words is not one. */
const MAX_LABEL_WORDS = 3;

/** A list of pages to choose from: by its name; or without one by its options, which count from 1, or are "Page 1" and so on. */
function isPageList({ name, label, children }: ObservedNode): boolean {
  const options = children.map((option) => /^(page )?(\d+)(?: ?(?:\/|of) ?\d+)?$/i.exec(textOf(option).trim()));
  if (options.length < 2) return false;
  if (/^(?:(?:go|jump) to )?page\b/i.test(name)) return true;
  if (!options.every((option, index) => Number(option?.[2]) === index + 1)) return false;
  const beside = name || ((label ?? "").split(" ").length > MAX_LABEL_WORDS ? "" : (label ?? ""));
  return TO_PAGE.test(beside.trim()) || options.every((option) => option?.[1] !== undefined);
}
