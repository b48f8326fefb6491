import { createHash } from "node:crypto";
import type { ObservedNode } from "./observed-node.ts";

/** Equal for two looks at the same state: the address with its fragment, and everything but places. */
export function fingerprint(url: string, root: ObservedNode): string {
  const hash = createHash("sha256").update(url);
  const add = ({ role, name, value, states, children }: ObservedNode): void => {
    hash.update(JSON.stringify([role, name, value, Object.entries(states).toSorted(), children.length]));
    children.forEach(add);
  };
  add(root);
  return hash.digest("base64url");
}
