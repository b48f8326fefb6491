import type { NodeStates, ObservedNode } from "./observed-node.ts";

/** The whole tree, one line per node that says something, without refs and places: for comparing two looks. */
export function toLines(root: ObservedNode): string[] {
  return root.children.flatMap(linesOf);
}

function linesOf(node: ObservedNode): string[] {
  const inner = node.children.flatMap(linesOf);
  if (node.role === "generic" && node.name === "" && node.value === null) return inner;
  return [describeNode(node), ...inner];
}

/** Role, name, value and states in one line. */
export function describeNode({ role, name, value, states }: ObservedNode): string {
  const parts = role === "text" ? [name] : [role, name === "" ? "" : JSON.stringify(name)];
  if (value !== null) parts.push(`= ${JSON.stringify(value)}`);
  return [...parts, ...describeStates(states)].filter((part) => part !== "").join(" ");
}

/** What is worth saying: true states, and what is false only where it is the point of the thing. */
export function describeStates(states: NodeStates): string[] {
  return Object.entries(states).flatMap(([state, value]) => {
    if (state === "level") return [];
    if (state === "sort") return [`[sorted ${value}]`];
    if (value === false) return FALSE_STATES[state] === undefined ? [] : [`[${FALSE_STATES[state]}]`];
    return value === "mixed" ? [`[${state} mixed]`] : [`[${state}]`];
  });
}

const FALSE_STATES: Readonly<Record<string, string>> = { checked: "unchecked", expanded: "collapsed" };
