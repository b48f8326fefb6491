import type { Box, FieldFacts, NodeStates, ObservedNode } from "./observed-node.ts";

/** A node while its tree is being made. */
export interface DraftNode {
  role: string;
  name: string;
  ref: string | null;
  value: string | null;
  field: FieldFacts | null;
  states: NodeStates;
  url: string | null;
  box: Box | null;
  children: DraftNode[];
  /** What Playwright's snapshot says; null for what is not from there. */
  readonly source: Source | null;
}

export interface Source {
  readonly ref: string | null;
  readonly name: string;
  /** What stands in it, names and texts in order; of a field without what it holds. */
  readonly texts: readonly string[];
  readonly hasPointer: boolean;
  /** Relative to its frame; kept for things without size too. */
  readonly box: Box | null;
}

export function draftText(text: string): DraftNode {
  return {
    role: "text",
    name: text,
    ref: null,
    value: null,
    field: null,
    states: {},
    url: null,
    box: null,
    children: [],
    source: null,
  };
}

/** Every node below that belongs to the same frame, in order; an iframe counts, what is inside it does not. */
export function* walkFrame(node: DraftNode): Generator<DraftNode> {
  for (const child of node.children) {
    yield child;
    if (child.role !== "iframe") yield* walkFrame(child);
  }
}

export function finishTree({ source: _, children, ...node }: DraftNode): ObservedNode {
  return { ...node, children: children.map(finishTree) };
}
