import type { Spot } from "../matching/scene.ts";
import type { Course } from "./course.ts";
import { describeSpot } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";

const MAX_OPENED = 30;

/** Opens what is closed, one thing after the other, until what is looked for can be seen. */
export function* explore(look: () => Spot | null, reach: "open" | "everything", hand: Hand): Course<Spot | null> {
  const tried = new Set<string>();
  while (tried.size < MAX_OPENED) {
    const next = hand.scene.spots.find((spot) => canOpen(spot, reach) && !tried.has(keyOf(spot)));
    if (next === undefined) return null;
    tried.add(keyOf(next));
    const { ref, name } = next.node;
    if (ref === null) continue;
    yield* hand.act([{ action: "click", input: { ref, label: name } }], `Open ${describeSpot(next)} to look inside.`);
    const found = look();
    if (found !== null) return found;
  }
  return null;
}

/** Only what shows more of the same page: a tab, a closed section, a menu. Never a plain link or button. */
function canOpen({ node, parent }: Spot, reach: "open" | "everything"): boolean {
  if (node.ref === null || node.states.disabled === true) return false;
  if (node.states.expanded === false) return node.role !== "combobox" && node.field === null;
  if (node.role === "tab") return node.states.selected !== true && node.states.expanded !== true;
  if (node.role === "treeitem") return node.states.expanded !== true;
  if (parent?.node.role === "tab" && node.role === "link") return false;
  return reach === "everything" && node.role === "generic" && node.field === null && node.url === null;
}

/** Refs change when a section opens; names and places in the page hardly do. */
function keyOf({ node }: Spot): string {
  return node.ref === null ? "" : `${node.role} ${node.name}${node.name === "" ? ` ${node.ref}` : ""}`;
}
