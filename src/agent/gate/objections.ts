import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { HeldRequest } from "../../browser/session/write-interceptor.ts";
import type { ActionCall } from "../actions/action.ts";
import type { ActedPage } from "./acted-page.ts";
import { ENTRIES } from "./agreement.ts";
import { type Commit, withoutFragment } from "./commit.ts";
import { isReplacing, type Moment } from "./harmless.ts";
import type { Act, Operation } from "./operation.ts";

/** The action whose consequences are held, until the next one begins. */
export interface CurrentAction {
  readonly call: ActionCall;
  readonly page: ActedPage;
  /** Whether it acts on the page, and so may send something. */
  readonly isActing: boolean;
  readonly commit: Commit | null;
  /** Pages that were opened by it: what they send is not what the action sends. */
  readonly documents: Set<string>;
  isOver: boolean;
}

/** Before anything is done, and on a page that has just been opened, pages send only what every visit sends. */
export function isOfPage({ from }: HeldRequest, current: CurrentAction | null): boolean {
  if (current === null || !current.isActing) return true;
  if (from === null) return false;
  // A page without referrers tells only its origin, which has no slash at the end.
  const isOfOrigin = (url: string) => URL.parse(url)?.origin === from;
  return current.documents.has(withoutFragment(from)) || [...current.documents].some(isOfOrigin);
}

/** Why a request of an action that declares nothing must not be sent. */
export function objectToUndeclared(
  request: HeldRequest,
  operation: Operation,
  current: CurrentAction,
  { moment, isLate, commits }: Undeclared,
): string | null {
  if (request.resourceType !== "document" && isAutosave(current, operation, moment)) return null;
  if (operation.act !== null) return describeUndeclared(operation.act);
  if (!isLate) return UNDECLARED;
  // What a page does later by itself, such as on a timer, is stopped only if it seems to count.
  return isReplacing(request) && !belongs(request, operation, moment, commits) ? UNDECLARED : null;
}

interface Undeclared {
  readonly moment: Moment;
  /** Whether it leaves when the action that may have caused it is over. */
  readonly isLate: boolean;
  /** What was sent with agreement. */
  readonly commits: readonly Commit[];
}

/** Shorter texts are in other values by chance. */
const MIN_CHARS_INSIDE = 4;

/** Whether a late request saves what was entered, or what was already sent with agreement. */
function belongs(
  { url }: HeldRequest,
  { values }: Operation,
  { entered, searched }: Moment,
  commits: readonly Commit[],
): boolean {
  const resource = url.split(/[?#]/)[0];
  const isSaved = ({ requests }: Commit) => requests.some((sent) => sent.url.split("?")[0] === resource);
  if (commits.some(isSaved)) return true;
  const texts = entered.filter((text) => !searched.includes(text)).map(foldVisible);
  return values.some(({ value }) => {
    const folded = foldVisible(value);
    return texts.some((text) => folded === text || (text.length >= MIN_CHARS_INSIDE && folded.includes(text)));
  });
}

/** A page that saves what was typed while it is typed: a part of the text is sent, or the emptied field. */
function isAutosave({ call }: CurrentAction, { act, values }: Operation, { entered }: Moment): boolean {
  if (!ENTRIES.has(call.action) || act !== null || call.input["submit"] === true) return false;
  const isEntered = (value: string) => entered.some((text) => value.includes(text) || text.startsWith(value));
  return call.action === "upload" || values.some(({ value }) => isEntered(value));
}

/** Going to the checkout by a button of that name is not a purchase yet. */
export function withoutCheckout({ act, words }: Operation, label: string): Act | null {
  const buys = ["order", "orders", "pay", "purchase", "place"].some((word) => words.has(word));
  return words.has("checkout") && !buys && /\bcheck ?-?out\b/i.test(label) ? null : act;
}

export const ONLY_ASKS =
  "The task only asks for something, so nothing may be sent to the site except searches. Find the answer in another way, or give up.";
export const REPEATED = "The same was sent before. Look at what became of it first.";
export const UNRECORDED = "The recipe has never sent anything like it.";
export const UNPRICED =
  "It would cost money, and the user has set a spending limit. Say in commit that it buys something, with what and how much.";
export const UNDECLARED =
  "The action did not say what it sends. If the task asks for it, repeat the action with commit: one sentence with what, how much and to whom. Otherwise leave it.";
export const UNDECLARED_LINK = `The link seems to change something. ${UNDECLARED}`;

export const ACT_WORDS: Record<Act, string> = {
  buy: "buy or order something",
  send: "send or publish something",
  delete: "delete or cancel something",
  subscribe: "subscribe to something",
  book: "book something",
  transfer: "transfer money",
};

export function describeUndeclared(act: Act): string {
  return `It looks as if it would ${ACT_WORDS[act]}. ${UNDECLARED}`;
}
