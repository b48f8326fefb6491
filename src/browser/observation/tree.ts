import type { ObservedNode } from "./observed-node.ts";

export interface Visit {
  readonly node: ObservedNode;
  /** From the root to the parent. */
  readonly ancestors: readonly ObservedNode[];
}

/** A run of no text: what stands where there is nothing. */
export const EMPTY_NODE: ObservedNode = {
  role: "text",
  name: "",
  ref: null,
  value: null,
  field: null,
  states: {},
  url: null,
  box: null,
  children: [],
};

/** Every node in the order of the page, the root first. */
export function* walk(root: ObservedNode, ancestors: readonly ObservedNode[] = []): Generator<Visit> {
  yield { node: root, ancestors };
  const path = [...ancestors, root];
  for (const child of root.children) yield* walk(child, path);
}

/** What a person reads there: names and runs of text, in order. A name that its own children spell out counts once. */
export function textOf(node: ObservedNode): string {
  const inner = node.children.map(textOf).filter(Boolean).join(" ");
  if (inner === "") return node.name;
  if (node.name === "" || inner.includes(node.name) || node.name.includes(inner)) {
    return node.name.length > inner.length ? node.name : inner;
  }
  return `${node.name} ${inner}`;
}
