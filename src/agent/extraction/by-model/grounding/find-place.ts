import type { Box, ObservedNode } from "../../../../browser/observation/observed-node.ts";
import type { LeafPlace } from "../../fact.ts";
import type { ReadPage } from "../page/read-page.ts";

/** The innermost part of a page that says a text, and the smallest box around it. */
export interface Spot {
  readonly node: ObservedNode;
  readonly box: Box | null;
}

/** Null for what no part of the page says as a whole, such as its title. */
export function findSpot(text: string, { observation: { root }, says }: ReadPage): Spot | null {
  const wanted = text.toLowerCase();
  const holds = (node: ObservedNode) => says(node).includes(wanted);
  if (!holds(root)) return null;
  let [node, box] = [root, root.box];
  for (;;) {
    const inner = node.children.find(holds);
    if (inner === undefined) return { node, box };
    node = inner;
    box = inner.box ?? box;
  }
}

export function placeOf(box: Box | null, { observation }: ReadPage): LeafPlace {
  return { look: observation.number, box };
}
