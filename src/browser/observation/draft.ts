import { type Box, EMPTY_NODE, type FieldFacts, type NodeStates, type ObservedNode } from "./observation.ts";
import type { TreeNode } from "./page-facts.ts";
import { collapseWhitespace } from "./visible-text.ts";

/** A node while its tree is being built. */
export interface DraftNode {
  role: string;
  name: string;
  label: string | null;
  ref: string | null;
  value: string | null;
  field: FieldFacts | null;
  states: NodeStates;
  url: string | null;
  box: Box | null;
  isBehind?: boolean;
  isMeasured?: boolean;
  children: DraftNode[];
  /** The node of the pass over the page; null for a text or the document. */
  readonly source: TreeNode | null;
}

export function draftText(text: string): DraftNode {
  return { ...EMPTY_NODE, name: text, children: [], source: null };
}

/** All descendants in the same frame, in order. An iframe is included, its content is not. */
export function walkFrame(node: DraftNode, nodes: DraftNode[] = []): DraftNode[] {
  for (const child of node.children) {
    nodes.push(child);
    if (child.role !== "iframe") walkFrame(child, nodes);
  }
  return nodes;
}

export function finishTree({ source: _, children, ...node }: DraftNode): ObservedNode {
  return { ...node, children: children.map(finishTree) };
}

/** What masked values look like. */
export const MASK = "••••••";

/** Roles whose text content is a value and not a name. */
const HOLDS_TEXT: ReadonlySet<string> = new Set(["textbox", "searchbox", "spinbutton", "slider"]);

export function toDrafts(tree: readonly (TreeNode | string)[]): DraftNode[] {
  return tree.flatMap((one) => {
    if (typeof one !== "string") return [toDraft(one)];
    // Where a character was left out that nobody can read, spaces may be left.
    const text = collapseWhitespace(one);
    return text === "" ? [] : [draftText(text)];
  });
}

function toDraft(source: TreeNode): DraftNode {
  const { role, name = "", states = {}, url = null, box, isBehind, isMeasured, children = [] } = source;
  const all = toDrafts(children);
  const holdsText = HOLDS_TEXT.has(role);
  const held = holdsText ? all.filter((child) => child.role === "text").map((child) => child.name) : [];
  return {
    role,
    name: collapseWhitespace(name),
    label: null,
    ref: null,
    value: holdsText ? held.join(" ") : null,
    field: null,
    states,
    url,
    box: box === undefined ? null : toBox(box),
    ...(isBehind ? { isBehind } : {}),
    ...(isMeasured ? { isMeasured } : {}),
    children: holdsText ? all.filter((child) => child.role !== "text") : all,
    source,
  };
}

function toBox([x = 0, y = 0, width = 0, height = 0]: readonly number[]): Box {
  return { x, y, width, height };
}
