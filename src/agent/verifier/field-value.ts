import type { Observation } from "../../browser/observation/observation.ts";
import type { ObservedNode } from "../../browser/observation/observed-node.ts";
import { walk } from "../../browser/observation/tree.ts";

/** What the fields with this label hold, in the order of the page. */
export function findFieldValues({ root }: Pick<Observation, "root">, label: string): string[] {
  const wanted = simplify(label);
  return [...walk(root)]
    .filter(({ node }) => [node.name, node.field?.placeholder ?? ""].some((name) => simplify(name) === wanted))
    .map(({ node }) => heldBy(node))
    .filter((value) => value !== null);
}

export function isSameValue(one: string, other: string): boolean {
  return simplify(one) === simplify(other);
}

function heldBy({ states, value }: ObservedNode): string | null {
  if (states.checked !== undefined) return states.checked === true ? "checked" : "unchecked";
  return value;
}

/** Sites tidy up what is typed: spaces, capitals, punctuation in a number. */
function simplify(text: string): string {
  return text.toLowerCase().replace(/[\s()*:.,-]+/g, "");
}
