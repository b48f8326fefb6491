import { EMPTY_NODE, type ObservedNode, textOf } from "./observation.ts";
import { toVisibleText } from "./visible-text.ts";

/** The page with the notices that a person has seen since the last observation, and that it no longer shows. */
export function withNotices(root: ObservedNode, notices: readonly string[]): ObservedNode {
  const shown = notices.length === 0 ? "" : textOf(root);
  const gone = notices.map(toVisibleText).filter((text) => text !== "" && !shown.includes(text));
  if (gone.length === 0) return root;
  const nodes = gone.map((name): ObservedNode => ({ ...EMPTY_NODE, role: "status", name }));
  return { ...root, children: [...root.children, ...nodes] };
}
