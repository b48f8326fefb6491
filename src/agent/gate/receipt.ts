import type { ActionCall } from "../actions/action.ts";
import { describeCall, toPublicCall } from "../actions/public-call.ts";
import { toOneLine } from "../safe-text.ts";
import type { ActedPage } from "./acted-page.ts";
import type { Commit } from "./commit.ts";
import { formatAmount } from "./compare-with-task.ts";
import { CONFIRMS, findLabelledAct, onlyPrepares } from "./operation.ts";

/** What an action does that the task names itself, in the words of the page: what is ordered, deleted or sent. */
export async function nameAction(call: ActionCall, page: ActedPage): Promise<string> {
  const { label, observation, node } = page;
  const shown = toPublicCall(call, observation);
  const { action, input } = shown;
  if (action === "fill" && input["submit"] === true) return `Enter "${input["text"]}" into "${label}" and send it`;
  if (action === "press") return `Press ${input["key"]}${node === null ? "" : ` in "${label}"`}`;
  const opens = node?.role === "link" && findLabelledAct(label) === null;
  const isButton = action === "click" && label !== "" && !onlyPrepares(label) && !opens;
  return isButton ? await nameButton(page) : toSentence(describeCall(shown));
}

async function nameButton(page: ActedPage): Promise<string> {
  await page.readOrderAhead();
  const { label, order, observation, recordName } = page;
  const act = findLabelledAct(label);
  const confirms = CONFIRMS.test(label);
  if (order.items.length > 0 && (act === "buy" || act === "book" || confirms)) {
    const items = order.items.map(({ name, quantity }) => `${quantity} × ${name}`).join(", ");
    return `${ORDERS.get(act) ?? toSentence(label)} ${items}`;
  }
  if (act === null && !confirms) return `Choose "${label}" on the page "${observation.title}"`;
  return toSentence(recordName === null || label.includes(recordName) ? label : `${label}: ${recordName}`);
}

const ORDERS: ReadonlyMap<string | null, string> = new Map([
  ["buy", "Order"],
  ["book", "Book"],
]);

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const MAX_CHARS = 300;

/**
 * What was done, in words: the sentence that was agreed to, with the amount that the page stated and the site's own reference
 * where the sentence leaves them out.
 */
export function describeCommit(commit: Omit<Commit, "requests">): string {
  const { sentence, amount, recipient, reference, isFinal } = commit;
  const parts = [toOneLine(sentence, MAX_CHARS).replace(/[.;]$/, "")];
  const isMissing = (text: string) => !sentence.toLowerCase().includes(text.toLowerCase());
  const price = amount && formatAmount(amount.value, amount.currency);
  if (isFinal && amount !== null && price !== null && isMissing(amount.value.toFixed(2)) && isMissing(price)) {
    parts.push(price);
  }
  if (isFinal && recipient !== null && isMissing(recipient)) parts.push(`to ${toOneLine(recipient, 80)}`);
  if (reference !== null && isMissing(reference)) parts.push(`reference ${toOneLine(reference, 40)}`);
  return parts.join(", ");
}
