import type { WantedLeaf } from "./map-columns.ts";
import { type Resolved, resolveSchema } from "./shape.ts";
import { toWanted } from "./wanted.ts";

const MAX_DEPTH = 6;
const MAX_LEAVES = 300;
const MAX_VISITS = 3_000;

/** The scalars of an object, through the objects inside of it; lists inside are no columns. */
export function findLeaves(schema: unknown, root: unknown): WantedLeaf[] {
  const leaves: WantedLeaf[] = [];
  const waiting: Visit[] = [{ schema, path: [], isRequired: true, open: [] }];
  for (let visits = 0; visits < MAX_VISITS && leaves.length < MAX_LEAVES; visits += 1) {
    const visit = waiting.pop();
    if (visit === undefined) break;
    const resolved = resolveSchema(visit.schema, root);
    if (resolved === null || visit.path.length > MAX_DEPTH || visit.open.includes(resolved.source)) continue;
    const { shape } = resolved;
    if (shape.kind === "scalar" && !shape.isConst && visit.path.length > 0) {
      const wanted = toWanted(visit.path.at(-1) ?? "", resolved, visit.path.slice(0, -1));
      leaves.push({ path: visit.path, wanted, shape, isRequired: visit.isRequired });
    }
    waiting.push(...findInside(visit, resolved).toReversed());
  }
  return leaves;
}

interface Visit {
  readonly schema: unknown;
  readonly path: readonly string[];
  readonly isRequired: boolean;
  /** The schemas around it. */
  readonly open: readonly unknown[];
}

function findInside({ path, isRequired, open }: Visit, { shape, source }: Resolved): Visit[] {
  const inside = [...open, source];
  if (shape.kind === "options") return shape.options.map((schema) => ({ schema, path, isRequired, open: inside }));
  if (shape.kind !== "object") return [];
  return shape.properties.map((property) => ({
    schema: property.schema,
    path: [...path, property.name],
    isRequired: isRequired && property.isRequired,
    open: inside,
  }));
}
