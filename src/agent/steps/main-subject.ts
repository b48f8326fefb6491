import { type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { readText } from "../grounding/page-text.ts";

/** Headings of what the page is not about. */
const OTHER_THINGS =
  /\b(?:also (?:like|bought|viewed)|related|similar|recommend(?:ed|ations)|recently viewed|others? (?:bought|viewed)|more like this|you may|more from)\b/i;

/**
 * The page without what it says about other things: parts under headings such as "You may also like", under a heading that
 * links to another page, and articles beside the main heading. `isOpened`: whether the steps have opened something of this name.
 */
export function withoutOtherThings<Page extends Pick<Observation, "root" | "url">>(
  page: Page,
  isOpened: (name: string) => boolean,
): Page {
  const headings: ObservedNode[] = [];
  const hasTitle = holdsTitle(page.root);
  const own = new Set(findOwnArticles(page.root, isOpened));
  const prune = (node: ObservedNode): ObservedNode | null => {
    if (node.role === "heading") enter(node, headings);
    // The name of the site may be a heading that links to its start, above the title.
    const isUnderOther = headings.some((heading) => isOther(heading, page.url)) && !holdsTitle(node);
    if (isUnderOther || OTHER_THINGS.test(nameOfPart(node))) return null;
    if (node.role === "article" && hasTitle && !holdsTitle(node) && !own.has(node)) return null;
    const outer = [...headings];
    const children = node.children.map(prune).filter((child) => child !== null);
    // A heading in a row, in a card or at the top of the site says nothing about what follows.
    if (ENCLOSING.has(node.role)) headings.splice(0, headings.length, ...outer);
    return { ...node, children };
  };
  return { ...page, root: prune(page.root) ?? { ...page.root, children: [] } };
}

function holdsTitle(root: ObservedNode): boolean {
  return walk(root).some(({ node }) => isTitle(node));
}

/**
 * Where the main heading is the name of the site, above the main part of the page, and that part consists of articles: the only
 * one, or those that the steps opened by name.
 */
function findOwnArticles(root: ObservedNode, isOpened: (name: string) => boolean): ObservedNode[] {
  const main = walk(root).find(({ node }) => node.role === "main")?.node;
  if (main === undefined || holdsTitle(main)) return [];
  const first = walk(main).find(({ node }) => node.role === "heading");
  if (first === undefined || !first.ancestors.some(isArticle)) return [];
  const articles = [...walk(main)]
    .filter(({ node, ancestors }) => isArticle(node) && !ancestors.some(isArticle))
    .map(({ node }) => node);
  return articles.length === 1 ? articles : articles.filter((article) => isOpened(headingOf(article)));
}

function isArticle({ role }: ObservedNode): boolean {
  return role === "article";
}

function headingOf(article: ObservedNode): string {
  const heading = walk(article).find(({ node }) => node.role === "heading")?.node;
  return heading === undefined ? "" : readText(heading);
}

const ENCLOSING = new Set(["row", "cell", "gridcell", "listitem", "article", "banner", "navigation"]);

/** A heading ends the parts under headings of its level and below. */
function enter(heading: ObservedNode, open: ObservedNode[]): void {
  const level = heading.states.level ?? 2;
  while (open.length > 0 && (open.at(-1)?.states.level ?? 2) >= level) open.pop();
  open.push(heading);
}

function isTitle({ role, states }: ObservedNode): boolean {
  return role === "heading" && states.level === 1;
}

function isOther(heading: ObservedNode, url: string): boolean {
  if (isTitle(heading)) return false;
  const pageOf = (link: string) => link.split("#")[0];
  return (
    OTHER_THINGS.test(readText(heading)) ||
    [...walk(heading)].some(({ node }) => node.url !== null && pageOf(node.url) !== pageOf(url))
  );
}

const PARTS = new Set(["region", "complementary", "list", "group", "table"]);

function nameOfPart({ role, name }: ObservedNode): string {
  return PARTS.has(role) ? name : "";
}
