import { isControlRole } from "../control-roles.ts";
import type { ObservedNode } from "../observed-node.ts";

/** Counts what a rendering does not tell, to say so at its end. */
export class LeftOut {
  readonly #counts = new Map<string, number>();

  /** The node and everything in it. */
  add(node: ObservedNode): void {
    this.addOne(node);
    for (const child of node.children) this.add(child);
  }

  addOne({ role, ref, name }: ObservedNode): void {
    const kind = kindOf(role, ref);
    if (kind !== null && name !== "") this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  toString(): string {
    return [...this.#counts].map(([kind, count]) => `${count} ${count === 1 ? kind : toPlural(kind)}`).join(", ");
  }
}

function kindOf(role: string, ref: string | null): string | null {
  if (role === "text" || role === "heading" || role === "link" || role === "button") return role;
  if (isControlRole(role) && role !== "option") return "field";
  return ref === null ? null : "clickable thing";
}

function toPlural(kind: string): string {
  return `${kind}s`;
}
