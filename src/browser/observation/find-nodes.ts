import type { Observation } from "./observation.ts";
import type { ObservedNode } from "./observed-node.ts";
import { walk } from "./tree.ts";

export interface FoundNode {
  readonly node: ObservedNode;
  /** From the root to the parent. */
  readonly ancestors: readonly ObservedNode[];
}

/** Nodes that say all the words of a query, the best first: what can be acted on, and what says little else. */
export function findNodes({ root }: Pick<Observation, "root">, query: string): FoundNode[] {
  const wanted = normalize(query);
  const words = wanted.split(" ").filter((word) => word !== "");
  if (words.length === 0) return [];
  const found: (FoundNode & { score: number })[] = [];
  for (const visit of walk(root)) {
    const score = scoreNode(visit.node, wanted, words);
    if (score > 0 && visit.node !== root) found.push({ ...visit, score });
  }
  return found.toSorted((a, b) => b.score - a.score).map(({ node, ancestors }) => ({ node, ancestors }));
}

function normalize(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}

/** Zero: does not say it. */
function scoreNode(node: ObservedNode, wanted: string, words: readonly string[]): number {
  const name = normalize(node.name);
  const said = normalize([node.role, node.name, node.value, node.field?.placeholder, node.field?.key].join(" "));
  if (!words.every((word) => said.includes(word))) return 0;
  const exactness = name === wanted ? 4 : name.startsWith(wanted) ? 3 : name.includes(wanted) ? 2 : 1;
  const brevity = wanted.length / (said.length + 1);
  return exactness + (node.ref === null ? 0 : 5) + Math.min(brevity, 0.9);
}
