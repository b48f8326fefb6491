import type { Observation } from "../../../browser/observation/observation.ts";
import { walk } from "../../../browser/observation/tree.ts";

const FEW_NAMED_NODES = 6;

/** Whether the text of a page says so little that a picture may say more: a drawing, a map, a game. */
export function isPoor({ root, url }: Observation): boolean {
  if (!/^https?:/.test(url)) return false;
  let named = 0;
  for (const { node } of walk(root)) if (node.name !== "" && ++named >= FEW_NAMED_NODES) return false;
  return true;
}
