/** Query parameters that say which part of a list a page shows. */
const PART =
  /^(?:page|p|pg|paged|pagina|seite|start|offset|from|skip|cursor|after|before|page[_-]?(?:no|num|number|index|token))$/i;
const PAGE_IN_PATH = /[/_-]?(?:page|pagina|seite|pg|p)[/_-]?\d{1,5}(?:\.\w+)?\/?$/i;
const NUMBER_IN_PATH = /\/\d{1,5}\/?$/;
const INDEX = /\/(?:index|default|home)\.\w+$/i;
/** Things that are read one after the other, each on a page of its own. */
const SERIES =
  /(?:chapter|part|post|lesson|episode|article|story|entry|issue|unit|section|volume|kapitel|chapitre)s?(?=[/_-]|\d|$)/i;

/** Whether two URLs show parts of the same list: they are equal, or differ only in the part. */
export function isSameList(one: string, other: string): boolean {
  const [first, second] = [URL.parse(one), URL.parse(other)];
  if (first === null || second === null) return one === other;
  return toListUrl(first) === toListUrl(second);
}

/** Whether a link named "Next" leads to the next part of the list on a page, and not to the next chapter or article. */
export function leadsToNextPart(next: string, pageUrl: string): boolean {
  const [target, page] = [URL.parse(next, pageUrl), URL.parse(pageUrl)];
  if (target === null || page === null || !target.protocol.startsWith("http")) return true;
  if (PAGE_IN_PATH.test(target.pathname) || [...target.searchParams.keys()].some((key) => PART.test(key))) return true;
  const isSamePath = target.origin === page.origin && target.pathname === page.pathname;
  if (!isSamePath && toListUrl(target) !== toListUrl(page)) return false;
  return ![target.pathname, ...target.searchParams.keys()].some((part) => SERIES.test(part));
}

function toListUrl({ origin, pathname, searchParams }: URL): string {
  const path = pathname.replace(INDEX, "").replace(PAGE_IN_PATH, "").replace(NUMBER_IN_PATH, "").replace(/\/$/, "");
  const query = [...searchParams].filter(([key]) => !PART.test(key)).map((pair) => pair.join("="));
  return [origin, path, ...query.sort()].join(" ");
}
