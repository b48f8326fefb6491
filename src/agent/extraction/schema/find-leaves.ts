import type { WantedLeaf } from "./map-columns.ts";
import { resolveSchema } from "./shape.ts";
import { toWanted } from "./wanted.ts";

const MAX_DEPTH = 6;
const MAX_LEAVES = 300;

/** The scalars of an object, through the objects inside of it; lists inside are no columns. */
export function findLeaves(schema: unknown, root: unknown): WantedLeaf[] {
  const leaves: WantedLeaf[] = [];
  collect(schema, root, [], true, leaves);
  return leaves;
}

function collect(
  schema: unknown,
  root: unknown,
  path: readonly string[],
  isRequired: boolean,
  leaves: WantedLeaf[],
): void {
  const resolved = resolveSchema(schema, root);
  if (resolved === null || path.length > MAX_DEPTH || leaves.length >= MAX_LEAVES) return;
  const { shape } = resolved;
  if (shape.kind === "options") {
    for (const option of shape.options) collect(option, root, path, isRequired, leaves);
  } else if (shape.kind === "object") {
    for (const { name, schema: inner, isRequired: isOwn } of shape.properties) {
      collect(inner, root, [...path, name], isRequired && isOwn, leaves);
    }
  } else if (shape.kind === "scalar" && !shape.isConst && path.length > 0) {
    const name = path.at(-1) ?? "";
    leaves.push({ path, wanted: toWanted(name, resolved, path.slice(0, -1)), shape, isRequired });
  }
}
