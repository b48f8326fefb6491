import { type Observation, type ObservedNode, textOf } from "../../../../browser/observation/observation.ts";

/** A node with what is around it. */
export interface Spot {
  readonly node: ObservedNode;
  readonly parent: Spot | null;
  readonly depth: number;
  /** Its place in the order of the page. */
  readonly index: number;
  /** How many nodes it holds, itself included. */
  readonly size: number;
}

/** An observation, ready to be searched. */
export interface Scene {
  readonly observation: Observation;
  readonly spots: readonly Spot[];
  /** The innermost open dialog of the page, if there is one. */
  readonly dialog: Spot | null;
  textAt(spot: Spot): string;
  /** Filled by whoever works out labels, once for each spot. */
  readonly labels: Map<Spot, readonly Label[]>;
}

/** Words by which something may be meant, and how sure that is (1: its own name). */
export interface Label {
  readonly text: string;
  readonly trust: number;
}

export function viewScene(observation: Observation): Scene {
  const spots: Spot[] = [];
  collect(observation.root, null, 0, spots);
  const texts = new Map<ObservedNode, string>();
  return {
    observation,
    spots,
    labels: new Map(),
    dialog: spots.findLast(({ node }) => isDialog(node)) ?? null,
    textAt({ node }) {
      const known = texts.get(node);
      if (known !== undefined) return known;
      const text = textOf(node);
      texts.set(node, text);
      return text;
    },
  };
}

export function* ancestorsOf(spot: Spot): Generator<Spot> {
  for (let at = spot.parent; at !== null; at = at.parent) yield at;
}

export function isInside(spot: Spot, container: Spot): boolean {
  return spot.index >= container.index && spot.index < container.index + container.size;
}

function collect(node: ObservedNode, parent: Spot | null, depth: number, spots: Spot[]): number {
  const spot = { node, parent, depth, index: spots.length, size: 1 };
  spots.push(spot);
  for (const child of node.children) spot.size += collect(child, spot, depth + 1, spots);
  return spot.size;
}

function isDialog({ role, children }: ObservedNode): boolean {
  return (role === "dialog" || role === "alertdialog") && children.length > 0;
}
