import type { ExecutionItem, ExecutionList } from "../../../../../src/contract/console/executions.ts";

/**
 * Puts a fresh answer in the place of what was known of the same stretch: newer ones come, and those that do not fit the
 * filter any more go. Ids grow with time, so the order of ids is the order of the list. `after` null: from the top.
 */
export function mergeAnswer(known: ExecutionList, after: string | null, answer: ExecutionList): ExecutionList {
  const last = answer.executions.at(-1)?.id ?? null;
  const end = answer.has_more ? last : null;
  // More has come than was asked for, so what lies between is not known: the list begins anew.
  if (after === null && end !== null && isGap(known.executions, end)) return answer;
  const above = after === null ? [] : known.executions.filter(({ id }) => id >= after);
  const below = end === null ? [] : known.executions.filter(({ id }) => id < end);
  return {
    executions: [...above, ...answer.executions, ...below],
    has_more: answer.has_more && (below.length === 0 || known.has_more),
  };
}

function isGap(known: readonly ExecutionItem[], end: string): boolean {
  const newest = known[0]?.id;
  return newest !== undefined && newest < end;
}
