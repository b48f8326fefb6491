import type { DraftNode } from "./draft-node.ts";
import type { Box } from "./observed-node.ts";
import type { ElementRecord } from "./page-facts.ts";

export interface Joined {
  readonly recordOf: ReadonlyMap<DraftNode, ElementRecord>;
  /** Records of elements that no node stands for. */
  readonly left: readonly ElementRecord[];
}

/**
 * Finds out which node of the snapshot is which element of the pass: both have the box of the element, rounded alike, and
 * both come in the order of the document. What has moved in between is recognised by its size.
 */
export function joinRecords(nodes: readonly DraftNode[], records: readonly ElementRecord[]): Joined {
  const recordOf = new Map<DraftNode, ElementRecord>();
  const unused = new Set(records);
  const match = (toKey: (box: Box) => string, candidates: readonly ElementRecord[], fits: Fits) => {
    const buckets = Map.groupBy(candidates, ({ box }) => toKey(box));
    for (const node of nodes) {
      const box = node.source?.box;
      if (box === undefined || box === null || recordOf.has(node)) continue;
      const record = buckets.get(toKey(box))?.find((one) => unused.has(one) && fits(one, node));
      if (record === undefined) continue;
      recordOf.set(node, record);
      unused.delete(record);
    }
  };
  match(placeKey, records, (record, node) => record.roles?.includes(node.role) ?? false);
  match(sizeKey, records, (record, node) => record.field !== null && (record.roles?.includes(node.role) ?? false));
  // Of several boxes in the same place, such as a row and its group, the one of the right kind comes first.
  match(
    placeKey,
    records,
    (record, node) => record.roles === null && isTarget(node) && record.click?.role === node.role,
  );
  match(placeKey, records, (record, node) => record.roles === null && (record.click === null || isTarget(node)));
  const taken = new Set(nodes.filter(isTarget).map(({ source }) => (source?.box ? placeKey(source.box) : "")));
  // A wrapper of exactly the same box adds nothing to the node that is already there.
  return { recordOf, left: [...unused].filter(({ field, box }) => field !== null || !taken.has(placeKey(box))) };
}

function placeKey({ x, y, width, height }: Box): string {
  return `${x},${y},${width},${height}`;
}

function sizeKey({ width, height }: Box): string {
  return `${width},${height}`;
}

type Fits = (record: ElementRecord, node: DraftNode) => boolean;

function isTarget({ role, source }: DraftNode): boolean {
  return source !== null && source.ref !== null && role !== "iframe";
}
