import { labelOf, type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";

const LOADING = /^(?:loading|please wait|fetching)\b[^.]{0,20}[.…]*$/i;

/** Whether a node says that a part of the page is still to come. */
export function saysLoading(node: ObservedNode): boolean {
  return node.role === "progressbar" || LOADING.test(labelOf(node).trim());
}

/** In a row, "3/5" is a rating. */
const NOT_ABOUT_LIST = new Set(["navigation", "banner", "row", "listitem", "article", "option"]);
const PAGE_COUNT = /^(?:page )?(\d{1,4}) ?(?:\/|of) ?(\d{1,4})$/i;

/** A sign on the page that more of a list is to come, where nothing leads on to it. */
export function findUnreadSign(root: ObservedNode): string | null {
  for (const { node, ancestors } of walk(root)) {
    if (ancestors.some(({ role }) => NOT_ABOUT_LIST.has(role))) continue;
    const sign = readUnreadSign(node, labelOf(node).trim());
    if (sign !== null) return sign;
  }
  return null;
}

function readUnreadSign(node: ObservedNode, name: string): string | null {
  const { role, states, field } = node;
  if (saysLoading(node)) return "It is still loading.";
  if (role === "button" && /^more$/i.test(name) && states.expanded === undefined) return 'It has a button "More".';
  if (field?.type === "select" && isPageList(node)) return "It has a list of pages.";
  const [, page = "", pages = ""] = PAGE_COUNT.exec(name) ?? [];
  return page !== "" && Number(page) < Number(pages) ? `The page says "${name}".` : null;
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
