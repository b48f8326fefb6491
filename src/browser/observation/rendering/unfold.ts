import { isControlRole } from "../control-roles.ts";
import type { ObservedNode } from "../observed-node.ts";
import { isThing } from "./describe-thing.ts";

export interface Unfolded {
  /** Null when something inside says the same and is the better target. */
  readonly outer: ObservedNode | null;
  readonly inner: readonly ObservedNode[];
}

/** Something to act on and what else to act on is inside it. Often both are one thing to a person: then it is told once. */
export function unfold(node: ObservedNode): Unfolded {
  if (node.field?.type === "select") return { outer: node, inner: [] };
  const inner = node.children.flatMap(thingsIn);
  const twin = inner.find((child) => child.name === node.name && child.field === null);
  if (twin === undefined) return { outer: node, inner };
  if (isControlRole(twin.role) && !isControlRole(node.role)) return { outer: null, inner };
  const others = inner.flatMap((child) => (child === twin ? twin.children.flatMap(thingsIn) : [child]));
  return { outer: node, inner: others };
}

/** The outermost things in a node, itself included. */
function thingsIn(node: ObservedNode): ObservedNode[] {
  return isThing(node) ? [node] : node.children.flatMap(thingsIn);
}
