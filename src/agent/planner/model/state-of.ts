import { createHash } from "node:crypto";
import type { Observation } from "../../../browser/observation/observation.ts";
import { toLines } from "../../../browser/observation/to-lines.ts";

/** Equal for two looks at the same state of a page. The focus does not count: every click moves it. */
export function stateOf({ url, root, dialog, scroll, tabs }: Observation): string {
  const lines = toLines(root).map((line) => line.replace(/ \[active\](?=(?: \[[^\]]*\])*$)/, ""));
  const rest = [url, dialog?.message ?? "", scroll.y, tabs.length];
  return createHash("sha256")
    .update([...rest, ...lines].join("\n"))
    .digest("base64url");
}
