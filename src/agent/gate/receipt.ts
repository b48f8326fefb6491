import type { ActionCall } from "../actions/action.ts";
import { describeCall, toPublicCall } from "../actions/public-call.ts";
import { toOneLine } from "../safe-text.ts";
import type { ActedPage } from "./acted-page.ts";
import type { Commit } from "./commit.ts";
import { formatAmount } from "./compare-with-task.ts";
import { findLabelledAct } from "./operation.ts";

/** What an action does that the task names itself, in words for people: with what the page says is being ordered. */
export function nameAction(call: ActionCall, { label, order, observation }: ActedPage): string {
  const action = describeCall(toPublicCall(call, observation));
  const what = `${action.charAt(0).toUpperCase()}${action.slice(1)}`;
  const isOrder = findLabelledAct(label) === "buy" && order.items.length > 0;
  if (!isOrder) return what;
  return `Order ${order.items.map(({ name, quantity }) => `${quantity} × ${name}`).join(", ")} (${action})`;
}

const MAX_CHARS = 300;

/**
 * What was done, in words: the sentence that was agreed to, with the amount that the page stated and the site's own reference
 * where the sentence leaves them out. Null without a commit.
 */
export function describeCommit(commit: Commit | null): string | null {
  if (commit === null) return null;
  const { sentence, amount, recipient, reference, isFinal } = commit;
  const parts = [toOneLine(sentence, MAX_CHARS).replace(/[.;]$/, "")];
  const isMissing = (text: string) => !sentence.toLowerCase().includes(text.toLowerCase());
  if (isFinal && amount !== null && isMissing(amount.value.toFixed(2))) {
    parts.push(formatAmount(amount.value, amount.currency));
  }
  if (isFinal && recipient !== null && isMissing(recipient)) parts.push(`to ${toOneLine(recipient, 80)}`);
  if (reference !== null && isMissing(reference)) parts.push(`reference ${toOneLine(reference, 40)}`);
  return parts.join(", ");
}
