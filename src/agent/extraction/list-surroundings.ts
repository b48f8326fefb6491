import { type ObservedNode, walk } from "../../browser/observation/observation.ts";

export type Visit = ReturnType<typeof walk> extends Generator<infer Each> ? Each : never;

/** Where a node stands: before the first row of the list, between its rows, or after the last one. */
type Place = "before" | "among" | "after";

export type Surroundings = ReturnType<typeof createSurroundings>;

interface Heading {
  readonly node: ObservedNode;
  readonly index: number;
  readonly path: readonly ObservedNode[];
}

/** Parts of a page that are never about a list which is not in them. In a row, "3/5" is a rating. */
const RECORDS: ReadonlySet<string> = new Set(["navigation", "banner", "row", "listitem", "article", "option"]);
/** Parts with a subject of their own. Where the list is not known, it may be in one of them. */
const SECTIONS: ReadonlySet<string> = new Set(
  "complementary dialog alertdialog figure menu menubar region search tabpanel".split(" "),
);
/** What leads through a list, and is read out as "Pagination". */
const OF_PAGES = /\bpag(?:es?|er|ing|ination)\b/i;
/** Headings that only screen readers read out: "Posts navigation". */
const NO_SUBJECT = /\bpag(?:es?|er|ing|ination)\b|\bnavigation\b|\bresults\b/i;
const DEFAULT_LEVEL = 2;
const LENGTHY: ReadonlySet<string> = new Set(["table", "grid", "treegrid", "list", "feed", "img", "figure"]);

/**
 * Tells what may be about a list from what is about something else: it is in another part of the page, or under a heading that is not
 * above the list. Where the page says neither, it counts as about the list. Without rows, everything outside of records does.
 */
export function createSurroundings(root: ObservedNode, rows: readonly ObservedNode[]) {
  const visits = [...walk(root)];
  const rowNodes = new Set(rows);
  const isInRow = ({ node, ancestors }: Visit) => rowNodes.has(node) || ancestors.some((each) => rowNodes.has(each));
  const found = visits.flatMap((visit, index) => (rowNodes.has(visit.node) ? [{ visit, index }] : []));
  const starts = [...new Map(found.map((each) => [each.visit.ancestors.at(-1), each])).values()];
  const around = new Set(starts.flatMap(({ visit }) => visit.ancestors));
  const [first = -1, last = -1] = [found[0]?.index, found.at(-1)?.index];
  const headings = visits.flatMap((visit, index): Heading[] => {
    const isHeading = visit.node.role === "heading" && !isInRow(visit) && !NO_SUBJECT.test(visit.node.name);
    return isHeading ? [{ node: visit.node, index, path: visit.ancestors }] : [];
  });
  const indexes = new Map(visits.map(({ node }, index) => [node, index]));

  /** The headings that are above a node, the nearest first. */
  function headingsAbove(index: number, path: readonly ObservedNode[]): Heading[] {
    const above = headings.filter((heading) => heading.index < index);
    return above.toReversed().filter((heading) => {
      const common = heading.path.findLastIndex((each, at) => path[at] === each);
      const container = heading.path[common];
      return common === heading.path.length - 1 || (container !== undefined && !around.has(container));
    });
  }

  /**
   * Whether what is below a heading is about it: both are in a part of the page without the list, the list comes later, nothing is in
   * between, or what is has a length of its own. Else the heading may be over by then, and the end of the page about the list again.
   */
  function isSubject({ path, index: from, node }: Heading, index: number, below: readonly ObservedNode[]): boolean {
    if (path.some((each, at) => below[at] === each && !around.has(each)) || index < first) return true;
    const between = visits.slice(from + 1, index).filter(({ ancestors }) => !ancestors.includes(node));
    return between.every((each) => below.includes(each.node)) || between.some((each) => LENGTHY.has(each.node.role));
  }

  /** The outline of the list: the heading above it, the one above that, and so on. */
  const own = new Set<ObservedNode>();
  for (const { visit, index } of starts) {
    let level = Number.POSITIVE_INFINITY;
    for (const { node } of headingsAbove(index, visit.ancestors)) {
      const each = node.states.level ?? DEFAULT_LEVEL;
      if (each < level) own.add(node);
      level = Math.min(level, each);
    }
  }

  const isApart = (node: ObservedNode) =>
    !around.has(node) &&
    !(starts.length > 0 && isPager(node)) &&
    (RECORDS.has(node.role) || (starts.length > 0 && SECTIONS.has(node.role)));

  return {
    isAbout(visit: Visit): boolean {
      if (visit.ancestors.some(isApart) || isInRow(visit)) return false;
      if (starts.length === 0) return true;
      const index = indexes.get(visit.node) ?? 0;
      const [nearest] = headingsAbove(index, visit.ancestors);
      return nearest === undefined || own.has(nearest.node) || !isSubject(nearest, index, visit.ancestors);
    },
    holdsRows: (node: ObservedNode) => around.has(node) || rowNodes.has(node),
    placeOf({ node }: Visit): Place {
      const index = indexes.get(node) ?? 0;
      if (starts.length === 0 || index > last) return "after";
      return index < first ? "before" : "among";
    },
  };
}

function isPager({ role, name }: ObservedNode): boolean {
  return (role === "region" || role === "navigation") && OF_PAGES.test(name);
}
