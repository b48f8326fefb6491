import type { ActionCall } from "./actions/action-report.ts";
import type { AttributedWrite } from "./side-effects.ts";

/** A page's own reports are sent by many a step, and change nothing. */
const REPORTS: ReadonlySet<string> = new Set(["ping", "beacon", "cspviolationreport"]);

/**
 * Whether a call is one that has sent something to the site before: done again, it might buy or send a second time. On
 * whatever page, since the same button often stands on several.
 */
export function hasSentBefore(call: ActionCall, writes: readonly AttributedWrite[]): boolean {
  return writes.some(({ write, cause }) => {
    if (cause?.effect !== "mutate" || !write.isFirstParty || REPORTS.has(write.resourceType)) return false;
    return cause.call.action === call.action && labelOf(cause.call) === labelOf(call);
  });
}

/** A ref is only good for one observation: the label says what is meant. */
function labelOf({ input }: ActionCall): unknown {
  return input.label ?? input.keys ?? input.ref;
}
