import { oncePer } from "../../lib/once-per.ts";
import { labelOf, type NodeStates, type Observation, type ObservedNode, walk } from "./observation.ts";
import { collapseWhitespace } from "./visible-text.ts";

/** The whole tree as lines without refs and positions, for comparing two observations. */
export function toLines(root: ObservedNode): string[] {
  const lines: string[] = [];
  for (const { node } of walk(root)) {
    const isPlain = node.role === "generic" && node.name === "" && node.value === null;
    if (node !== root && !isPlain) lines.push(describeNode(node));
  }
  return lines;
}

/** Every click moves the focus: a click that changed nothing else has changed nothing. */
export function toLinesWithoutFocus({ root }: Pick<Observation, "root">): readonly string[] {
  return withoutFocus(root);
}

/** What one action leaves is what the next one finds. */
const withoutFocus = oncePer((root: ObservedNode) =>
  toLines(root).map((line) => line.replace(/ \[active\](?=(?: \[[^\]]*\])*$)/, "")),
);

/** Role, name or label, value and states in one line. */
export function describeNode(node: ObservedNode): string {
  const { role, value, states } = node;
  const label = labelOf(node);
  const parts = role === "text" ? [label] : [role, label === "" ? "" : JSON.stringify(label)];
  if (value !== null) parts.push(`= ${JSON.stringify(value)}`);
  return [...parts, ...describeStates(states)].filter((part) => part !== "").join(" ");
}

/** States that are true, and those whose being false matters. */
export function describeStates(states: NodeStates): string[] {
  return Object.entries(states).flatMap(([state, value]) => {
    if (state === "level") return [];
    if (state === "sort") return [`[sorted ${value}]`];
    if (value === false) return FALSE_STATES[state] === undefined ? [] : [`[${FALSE_STATES[state]}]`];
    return value === "mixed" ? [`[${state} mixed]`] : [`[${state}]`];
  });
}

const FALSE_STATES: Readonly<Record<string, string>> = { checked: "unchecked", expanded: "collapsed" };

interface LineDiff {
  readonly added: string[];
  readonly removed: string[];
}

/** Added and removed lines, with repetitions. A line that only moved is not a change. */
export function diffLines(before: readonly string[], after: readonly string[]): LineDiff {
  return { added: subtract(after, before), removed: subtract(before, after) };
}

function subtract(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

export interface FoundNode {
  readonly node: ObservedNode;
  /** From the root to the parent. */
  readonly ancestors: readonly ObservedNode[];
}

/** Nodes that contain all words of a query, best match first: targets, and nodes with little other text. */
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
  return collapseWhitespace(text.toLowerCase());
}

/** Zero when a word is missing. */
function scoreNode(node: ObservedNode, wanted: string, words: readonly string[]): number {
  const name = normalize(labelOf(node));
  const text = normalize([node.role, name, node.value, node.field?.placeholder, node.field?.key].join(" "));
  if (!words.every((word) => text.includes(word))) return 0;
  const exactness = name === wanted ? 4 : name.startsWith(wanted) ? 3 : name.includes(wanted) ? 2 : 1;
  const brevity = wanted.length / (text.length + 1);
  return exactness + (node.ref === null || node.isBehind ? 0 : 5) + Math.min(brevity, 0.9);
}
