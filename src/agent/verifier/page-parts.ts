import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { isField } from "../grounding/page-text.ts";
import { withoutTimes } from "./deletions.ts";
import { toPageLines } from "./page-lines.ts";

/** The lines and targets of a page with their states, and how many there are of each. What fields hold is compared with the entries. */
export function countParts(root: ObservedNode): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (part: string) => counts.set(part, (counts.get(part) ?? 0) + 1);
  for (const { text } of toPageLines(root)) if (!HELD.test(text)) add(withoutTimes(text));
  for (const { node } of walk(root)) {
    if (node.ref === null || isField(node)) continue;
    const { pressed, selected, disabled } = node.states;
    add(JSON.stringify([node.role, withoutTimes(node.name), pressed, selected, disabled]));
  }
  return counts;
}

/** A field and its value. */
export const HELD = / = (?:".*"|\(not shown\))$/;
