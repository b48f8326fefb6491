import { isWrite } from "../../browser/session/network-record.ts";
import { isGraphqlQuery, isNamedAsRead, readsByName, toWords } from "../../browser/session/read-request.ts";
import { readBody, type SentValue } from "../../browser/session/sent-body.ts";
import { readPolledMessages, readSocketMessage } from "../../browser/session/socket-messages.ts";
import type { HeldRequest } from "../../browser/session/write-interceptor.ts";
import { isEnglish } from "../grounding/prose.ts";

/** What a request does, by the names that the site gives it. */
export interface Operation {
  /** Words of the path, the called operation and the method: "orders", "place", "order". */
  readonly words: ReadonlySet<string>;
  /** What it does that cannot be taken back; null when its names do not say so. */
  readonly act: Act | null;
  readonly values: readonly SentValue[];
  /** The same for every request of its kind, whatever it carries. */
  readonly kind: string;
  readonly isNamedAsRead: boolean;
  /** Whether it carries what a WebSocket would, and the site will use one soon. */
  readonly isSocketMessage: boolean;
}

/** Acts that people want to agree to. */
export type Act = "buy" | "send" | "delete" | "subscribe" | "book" | "transfer";

/** How sites name them. Words with other common meanings, such as "post" or "add", are not among them. */
const ACT_NAMES: Record<Act, readonly string[]> = {
  buy: words("order orders purchase purchases buy pay payments charge charges checkout placeorder"),
  send: words("send message messages mail mails email emails comment comments reply replies publish tweet invite"),
  delete: words("delete remove destroy trash erase purge deactivate cancel"),
  subscribe: words("subscribe subscription subscriptions unsubscribe follow enroll signup"),
  book: words("book booking bookings reserve reservation reservations"),
  transfer: words("transfer transfers withdraw withdrawal withdrawals payout payouts"),
};

/** How people speak of them, in a task or in the sentence that declares a commit. */
const ACT_SPEECH: Record<Act, RegExp> = {
  buy: /\b(?:re-?order\w*|orders?|ordered|ordering|buy\w*|bought|purchas\w+|pay|pays|paid|paying|payments?|check(?:ing)? ?out|get (?:me|us)|subscri\w+|book\w*|reserv\w+|renew\w*|rent\w*|donat\w+|top up|hire)\b/i,
  send: /\b(?:send\w*|sent|messag\w+|e-?mail\w*|mail\w*|writ\w+|repl(?:y|ies|ied)|respon\w+|answer\w*|comment\w*|post\w*|publish\w*|shar\w+|tweet\w*|invit\w+|forward\w*|contact\w*|tell|ask|notify|say|thank\w*|congratulat\w+|chat\w*|leave)\b/i,
  delete:
    /\b(?:delet\w+|remov\w+|cancel\w*|clear\w*|empty|emptied|eras\w+|discard\w*|drop\w*|trash\w*|deactivat\w+|clos\w+|clean\w*|get rid|withdraw\w*|archiv\w+|unsubscri\w+|take (?:it |them )?(?:off|out)|replac\w+|only|instead|unlike|unfollow|revok\w+|undo)\b/i,
  subscribe:
    /\b(?:subscri\w+|unsubscri\w+|sign (?:me |us )?up|follow\w*|unfollow\w*|join\w*|enrol\w*|regist\w+|newsletter)\b/i,
  book: /\b(?:book\w*|reserv\w+|rent\w*|appointment|order\w*|buy|schedul\w+)\b/i,
  transfer: /\b(?:transfer\w*|withdraw\w*|pay\w*|send\w*|mov\w+|payout|remit\w*)\b/i,
};

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** Last parts of a path that say nothing without the part before them: "/orders/confirm". */
const AUXILIARY = new Set(
  words(
    "confirm submit create new place complete finish process execute authorize capture save do add api v1 v2 index",
  ),
);
/** What is only prepared: taking something out of it is not a loss. */
const PREPARED = new Set(
  words("cart carts basket baskets bag trolley wishlist voucher vouchers coupon coupons draft drafts"),
);
const IDENTIFIER = /^(?:\d+|[\da-f]{8}-[\da-f-]{27}|(?=.*\d)[\w-]{12,})$/i;
/** Properties and form fields that name an operation. */
const OPERATION_NAMES = new Set(words("action method operation op operationname procedure command cmd _method"));

/** Fields that say what kind of thing is sent, and often what is done. */
const HINTS = new Set(words("type event intent kind mode"));

export function readOperation(request: HeldRequest): Operation {
  const { method, url, body, contentType } = request;
  const values = isWrite(request) ? (readBody(body, contentType)?.values ?? []) : [];
  const named = values.filter(({ name }) => OPERATION_NAMES.has(name.toLowerCase())).map(({ value }) => value);
  const messages = readPolledMessages(request);
  const events = (messages ?? []).flatMap((message) => readSocketMessage(message).name ?? []);
  const called = [...named, ...readMutations(values), ...readQuery(url), ...events].filter((name) => name.length <= 80);
  const hinted = readHints(values);
  const path = (URL.parse(url)?.pathname ?? "").split("/").filter((part) => part !== "" && !IDENTIFIER.test(part));
  const telling = takeTelling(path.map((part) => toWords(decode(part).replace(/\.\w{2,5}$/, ""))));
  const all = new Set([
    ...telling,
    ...[...called, ...hinted].flatMap(toWords),
    ...(method === "DELETE" ? ["delete"] : []),
  ]);
  const byPath = findAct(new Set(telling));
  const isRead = isGraphqlQuery(request) || (byPath === null && looksLikeRead(request, telling, called));
  const act = isRead ? null : findAct(all);
  const isOfCart = path.some((part) => toWords(part).some((word) => PREPARED.has(word)));
  return {
    words: all,
    act: act === "delete" && isOfCart ? null : act,
    values,
    kind: JSON.stringify([method, url.split(/[?#]/)[0], called.toSorted(), hinted.toSorted()]),
    isNamedAsRead: isRead,
    isSocketMessage: messages !== null,
  };
}

/** What single-page applications call their reads: the operation in the body, or else the end of the path. */
function looksLikeRead(request: HeldRequest, telling: readonly string[], called: readonly string[]): boolean {
  if (called.length > 0) return called.every((name) => readsByName(name, "operation"));
  return isNamedAsRead(request) || readsByName(telling.join("_"), "operation");
}

/** The words of the last part of a path, and of the one before it where the last only helps it. */
function takeTelling(parts: readonly string[][]): string[] {
  const last = parts.at(-1) ?? [];
  const isAuxiliary = last.every((word) => AUXILIARY.has(word));
  return isAuxiliary ? [...last, ...(parts.at(-2) ?? [])] : last;
}

/** A name that occurs more than once describes the parts of a document, such as its nodes, and not what is done. */
function readHints(values: readonly SentValue[]): string[] {
  const hints = values.filter(({ name }) => HINTS.has(name.toLowerCase()));
  return hints
    .filter(({ name, value }) => /^[\w-]{2,40}$/.test(value) && hints.filter((each) => each.name === name).length === 1)
    .map(({ value }) => value);
}

/** Operations in the query: "?action=delete", "?route=checkout/confirm", "?wc-ajax=checkout". */
function readQuery(url: string): string[] {
  const query = [...(URL.parse(url)?.searchParams ?? [])];
  const isOperation = (name: string) => OPERATION_NAMES.has(name) || name === "route" || name.endsWith("ajax");
  return query
    .filter(([name, value]) => isOperation(name.toLowerCase()) && toWords(value).length <= 3)
    .map(([, value]) => value);
}

/** The names of the mutations in a GraphQL document: its own, and those of its fields. */
function readMutations(values: readonly SentValue[]): string[] {
  const documents = values.filter(({ name, value }) => name === "query" && /\bmutation\b/.test(value));
  return documents.flatMap(({ value }) =>
    [...value.slice(0, 2_000).matchAll(/\bmutation\b\s*(\w*)[^{]{0,500}\{\s*(?:\w+\s*:\s*)?(\w+)/g)].flatMap((match) =>
      match.slice(1).filter((name) => name !== undefined && name !== ""),
    ),
  );
}

function findAct(all: ReadonlySet<string>): Act | null {
  const acts = Object.keys(ACT_NAMES) as Act[];
  return acts.find((act) => ACT_NAMES[act].some((name) => all.has(name))) ?? null;
}

/** Whether a text speaks of an act. */
export function speaksOf(act: Act, text: string): boolean {
  return ACT_SPEECH[act].test(text);
}

/** The act that the label of a button names: "Place order", "Send". */
export function findLabelledAct(label: string): Act | null {
  const acts = Object.keys(LABEL_SPEECH) as Act[];
  return acts.find((act) => LABEL_SPEECH[act].test(label)) ?? null;
}

const PREPARES =
  /^(?:click |press )?["“]?(?:(?:add|put|place)\b.{0,80}\b(?:cart|basket|bag|trolley|wish ?list|favou?rites)|(?:remove|delete|take)\b.{0,80}\b(?:cart|basket|bag|trolley|voucher|coupon|filter)|(?:change|set|choose|select|update|increase|decrease)\b.{0,60}\b(?:quantity|amount|number|size|colou?r|option|variant|delivery|shipping)|apply\b.{0,40}\b(?:voucher|coupon|code|filter)|apply$|continue|next|proceed|back|previous|go to|open|show|expand|collapse|search|filter|sort|sign in|log ?in|accept (?:all )?cookies|reject (?:all )?cookies|preview|view|load|add to (?:cart|basket|bag)|check ?out$)/i;

/** Whether a text names something that only prepares what counts: filling the cart, going on in a form. */
export function onlyPrepares(text: string): boolean {
  return PREPARES.test(text.trim());
}

/** Whether a text asks for an act with its verb, and does not only mention it: "order a mug", not "my last order". */
export function asksFor(act: Act, prompt: string): boolean {
  const verb = LABEL_SPEECH[act].source.replaceAll("\\b", "");
  return new RegExp(`(?:^|[.,;:!]\\s*|\\b(?:and|then|please|to|you)\\s+)${verb}\\b`, "i").test(prompt);
}

/** Whether a text names a button for an act, which an earlier page may lead to: "click Continue, then click Confirm transfer". */
export function asksToPress(act: Act, prompt: string): boolean {
  const verb = LABEL_SPEECH[act].source.replaceAll("\\b", "");
  return new RegExp(`\\b(?:click|press|tap)\\s+(?:on\\s+)?(?:the\\s+)?["“'‘]?(?:\\w+\\s+){0,2}${verb}\\b`, "i").test(
    prompt,
  );
}

/** Labels of buttons that send what was prepared: in a checkout, the order. */
export const CONFIRMS = /^(?:confirm|complete|finish|finali[sz]e|submit)\b/i;

/** Verbs on buttons. */
const LABEL_SPEECH: Record<Act, RegExp> = {
  buy: /\b(?:buy|order|purchase|pay|place|check ?out|donate)\b/i,
  send: /\b(?:send|post|publish|reply|comment|submit|share|invite)\b/i,
  delete: /\b(?:delete|remove|cancel|discard|erase|empty)\b/i,
  subscribe: /\b(?:subscribe|unsubscribe|sign up|join|follow|enrol|enroll|register)\b/i,
  book: /\b(?:book|reserve)\b/i,
  transfer: /\b(?:transfer|withdraw)\b/i,
};

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The act that a verb in a URL stands for; null for one that may be anything, such as "confirm". */
export function toAct(verb: string): Act | null {
  return findAct(new Set([verb]));
}

const ENGLISH_WORD =
  /\b(?:the|a|an|and|of|to|in|for|with|my|this|it|on|one|two|add|buy|order|purchase|pay|place|send|post|publish|submit|write|reply|comment|delete|remove|cancel|book|reserve|subscribe|sign|join|transfer|save|set|change|update|create|show|view|see|open|look|check|click|press|continue|next|get|find|read|price|details?|confirm|accept|go|select|choose|upload|apply)\b/i;

/** Short sentences have no words that would tell another language. */
export function isInEnglish(sentence: string): boolean {
  return isEnglish(sentence) && ENGLISH_WORD.test(sentence);
}
