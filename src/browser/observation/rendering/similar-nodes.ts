import { isControlRole, labelOf, type ObservedNode } from "../observation.ts";

export interface SimilarNodes {
  readonly kind: "similar";
  readonly nodes: readonly ObservedNode[];
  readonly noun: string;
}

export type Part = { readonly kind: "one"; readonly node: ObservedNode } | SimilarNodes;

const NOUNS: Readonly<Record<string, string>> = {
  row: "rows",
  listitem: "items",
  article: "articles",
  option: "options",
  menuitem: "menu items",
  treeitem: "items",
  link: "links",
  button: "buttons",
  radio: "choices",
  checkbox: "boxes",
  generic: "groups",
  cell: "cells",
  gridcell: "cells",
  paragraph: "paragraphs",
};

/** The children in order. Many of the same role in a row become one part. */
export function toParts(children: readonly ObservedNode[], maxSimilar: number): Part[] {
  const parts: Part[] = [];
  const nodes = withoutLabels(children);
  for (let start = 0; start < nodes.length; ) {
    const { role = "" } = nodes[start] ?? {};
    let end = start + 1;
    while (nodes[end]?.role === role) end++;
    const same = nodes.slice(start, end);
    const noun = NOUNS[role];
    // Omitting one or two costs as much as it saves.
    if (noun !== undefined && same.length > maxSimilar + 2) parts.push({ kind: "similar", nodes: same, noun });
    else parts.push(...same.map((node) => ({ kind: "one" as const, node })));
    start = end;
  }
  return parts;
}

/** The text of a label repeats the name or label of its field. */
export function withoutLabels(nodes: readonly ObservedNode[]): readonly ObservedNode[] {
  const labels = new Set(nodes.flatMap(controlsIn).map(labelOf));
  // Controls without a label, and nodes that are more than a text, have nothing to compare.
  labels.delete("");
  return labels.size === 0 ? nodes : nodes.filter((node) => !labels.has(loneTextOf(node)));
}

function controlsIn(node: ObservedNode): ObservedNode[] {
  if (isControlRole(node.role)) return [node];
  return isPlain(node) ? node.children.flatMap(controlsIn) : [];
}

/** Empty for a node that is anything else than one text. */
function loneTextOf(node: ObservedNode): string {
  if (node.role === "text") return node.name;
  const [only, ...others] = node.children;
  return isPlain(node) && only !== undefined && others.length === 0 ? loneTextOf(only) : "";
}

function isPlain({ role, name, ref, value }: ObservedNode): boolean {
  return (role === "generic" || role === "group") && name === "" && ref === null && value === null;
}

/** Those in view, else the first ones. Always the very first, which often is the header of a table. */
export function chooseSimilar(
  nodes: readonly ObservedNode[],
  max: number,
  isInView: (node: ObservedNode) => boolean,
): ReadonlySet<ObservedNode> {
  const inView = nodes.slice(1).filter(isInView);
  return new Set([...nodes.slice(0, 1), ...(inView.length === 0 ? nodes.slice(1) : inView).slice(0, max - 1)]);
}
