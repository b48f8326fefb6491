import { type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { readText } from "../grounding/page-text.ts";

/** Headings of what the page is not about. */
const OTHER_THINGS =
  /\b(?:also (?:like|bought|viewed)|related|similar|recommend(?:ed|ations)|recently viewed|others? (?:bought|viewed)|more like this|you may|more from)\b/i;

/**
 * The page without what it says about other things: parts under headings such as "You may also like", under a heading that
 * links to another page, and articles beside the one with the main heading.
 */
export function withoutOtherThings<Page extends Pick<Observation, "root" | "url">>(page: Page): Page {
  const headings: ObservedNode[] = [];
  const hasTitle = [...walk(page.root)].some(({ node }) => isTitle(node));
  const prune = (node: ObservedNode): ObservedNode | null => {
    if (node.role === "heading") enter(node, headings);
    if (headings.some((heading) => isOther(heading, page.url)) || OTHER_THINGS.test(nameOfPart(node))) return null;
    if (node.role === "article" && hasTitle && ![...walk(node)].some(({ node: inner }) => isTitle(inner))) return null;
    const outer = [...headings];
    const children = node.children.map(prune).filter((child) => child !== null);
    // A heading in a row or a card says nothing about what follows the row.
    if (RECORDS.has(node.role)) headings.splice(0, headings.length, ...outer);
    return { ...node, children };
  };
  return { ...page, root: prune(page.root) ?? { ...page.root, children: [] } };
}

const RECORDS = new Set(["row", "cell", "gridcell", "listitem", "article"]);

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
