import { setTimeout as sleep } from "node:timers/promises";
import { labelOf as nameOf, walk } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { BrowserSession } from "../../browser/session/browser-session.ts";
import { isWrite, type NetworkRecord } from "../../browser/session/network-record.ts";
import type { SentBody, SentValue } from "../../browser/session/sent-body.ts";
import { type AttributedWrite, isBeacon, type SideEffectLedger, type StepCause } from "../actions/side-effects.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { findDates } from "../grounding/dates.ts";
import { withoutQuotedText } from "../grounding/english-words.ts";
import { isSameValue } from "../grounding/page-text.ts";
import { TELEMETRY } from "../grounding/telemetry.ts";
import { isAccepted } from "./accepted-writes.ts";
import { type Case, type Entry, findAllEntries, isEntry } from "./case.ts";

/** What became of a value that was entered. */
export type Sending =
  /** A request that the site accepted carries it. */
  | { readonly kind: "sent"; readonly write: NetworkRecord }
  /** Requests were accepted, all of them could be read, and none carries it. */
  | { readonly kind: "not_sent" }
  /** Requests were accepted, and it cannot be told whether one carries it: only a fresh page can show it. */
  | { readonly kind: "unreadable" }
  /** No request was accepted since. */
  | { readonly kind: "nothing" };

export function findSending(entry: Entry, context: Case): Sending {
  const writes = findSavingWrites(context.writes, entry);
  if (writes.length === 0) return { kind: "nothing" };
  const keys = findKeys(entry, context);
  const carried = writes.map((write) => ({ write, carries: carries(write.sent, entry, keys) }));
  const carrier = carried.findLast(({ carries: answer }) => answer === "yes");
  if (carrier !== undefined) return { kind: "sent", write: carrier.write };
  // Over a WebSocket a text may travel in many small messages.
  const mayCarry = ({ write, carries: answer }: (typeof carried)[number]) =>
    answer === "unknown" || write.resourceType === "websocket";
  return { kind: carried.some(mayCarry) ? "unreadable" : "not_sent" };
}

/** How long pages that save by themselves wait after an entry, and how long a site may take to show what it was sent. */
const SAVING_MS = 3_000;
const RECHECK_MS = 100;

/**
 * Whether the run's page has saved the last entry by itself, and so lately that fresh pages, read since `readAt`, may not show
 * it. Waits for that if nothing was sent yet.
 */
export async function isSavedLately(
  { session, ledger }: { readonly session: BrowserSession; readonly ledger: SideEffectLedger },
  readAt: Date,
  signal: AbortSignal,
): Promise<boolean> {
  // Leaving a field with a key is part of the entry.
  const isLeaving = ({ call }: StepCause) =>
    call.action === "press" && /^(?:Shift\+)?Tab$/.test(String(call.input.key));
  const last = ledger.steps.findLast((step) => step.effect === "mutate" && !isLeaving(step));
  const entry = findAllEntries(ledger.steps).find(({ step }) => step === last?.step);
  if (entry === undefined) return false;
  const deadline = performance.now() + SAVING_MS;
  for (;;) {
    const own = ledger
      .attribute(session.writes())
      .filter(({ write, cause }) => (cause?.step ?? 0) >= entry.step && carries(write.sent, entry, new Set()) !== "no");
    const isSent = own.length > 0 && own.every(({ write }) => write.status !== null || write.failure !== null);
    if (isSent || performance.now() >= deadline) {
      return own.some(({ write }) => write.startedAt.getTime() > readAt.getTime() - SAVING_MS);
    }
    await sleep(RECHECK_MS, undefined, { signal });
  }
}

/** Paths of requests that look something up and save nothing, although they are not GET. */
const LOOKUP_PATH = /\/(?:search|_?msearch|suggest(?:ions?)?|auto-?complete|type-?ahead|look-?up)(?:[/.]|$)/i;

/** Paths of reports about how a page is used. They save nothing that it shows. */
export const REPORT_PATH = new RegExp(`\\/(?:${TELEMETRY.join("|")})(?:[/.]|$)`, "i");

/** What the site accepted since the entry, and what may have saved it. */
function findSavingWrites(writes: readonly AttributedWrite[], { step }: Pick<Entry, "step">): NetworkRecord[] {
  return writes
    .filter(({ write, cause }) => {
      const isOfSite = write.isFirstParty && !isBeacon(write) && isAcceptedOrSocket(write);
      // A link may act, but it saves nothing that was entered.
      return isOfSite && isWrite(write) && (cause?.step ?? 0) >= step && !isLookupRequest(write);
    })
    .map(({ write }) => write);
}

/** Steps that sent something which may have saved what was entered before. */
export function findSubmissions({ steps, writes }: Pick<Case, "steps" | "writes">): Submission[] {
  return steps.flatMap((step) => {
    const own = writes.filter(({ cause }) => cause?.step === step.step);
    const accepted = step.effect === "mutate" && !isEntry(step.call) ? findSavingWrites(own, step) : [];
    return accepted.length === 0 ? [] : [{ ...step, accepted }];
  });
}

export interface Submission extends StepCause {
  /** Its requests that the site accepted. */
  readonly accepted: readonly NetworkRecord[];
}

export function isLookupRequest({ url }: NetworkRecord): boolean {
  return LOOKUP_PATH.test(URL.parse(url)?.pathname ?? "");
}

function isAcceptedOrSocket(write: NetworkRecord): boolean {
  return isAccepted(write) || write.resourceType === "websocket";
}

/** The names of form fields with this label, as the run saw them on the page. */
function findKeys({ url, label }: Entry, { captured }: Case): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const page of captured.list()) {
    if (!isSamePage(page.url, url)) continue;
    for (const { node } of walk(page.root)) {
      const { field } = node;
      if (field?.key != null && [nameOf(node), field.placeholder].includes(label)) keys.add(field.key);
    }
  }
  return keys;
}

/** Buttons that only show something for what was entered. "check" alone is also what the icon of a save button is called. */
const LOOKUP_LABEL =
  /\b(?:search|find|filter|sort|show|calculate|compute|convert|compare|preview|translate|check (?:the |for )?(?:availability|price|rate|status|stock|date|delivery|spelling|eligibility)s?|estimate|look ?up)\b|^\s*go\s*$/i;
/** "Save search", "Create filter". */
const SAVING_LABEL = /\b(?:save|add|create|update|delete|remove)\b/i;

export function isLookupLabel(label: string): boolean {
  return LOOKUP_LABEL.test(label) && !SAVING_LABEL.test(label);
}

/** Labels of fields that look something up. */
const LOOKUP_FIELD = /\b(?:search|find|filter|look ?up|jump|go) ?(?:to|for|by)?\b/i;
const ASKS_TO_LOOK_UP = /\b(?:search|find|filter|look(?:ing)? (?:up|for)|sort)\b/i;

/** A search or a filter is not meant to be saved, unless the task gives just this text for something else. */
export function isLookup(entry: Entry, context: Pick<Case, "task" | "captured">): boolean {
  if (!isSearchBox(entry, context) && !LOOKUP_FIELD.test(entry.label)) return false;
  const { prompt } = context.task;
  return ASKS_TO_LOOK_UP.test(withoutQuotedText(prompt)) || !foldVisible(prompt).includes(foldVisible(entry.value));
}

/** Whether the page itself calls the field a search box. */
export function isSearchBox({ url, label }: Entry, { captured }: Pick<Case, "captured">): boolean {
  const pages = captured.list().filter((page) => isSamePage(page.url, url));
  return pages.some(({ root }) =>
    walk(root).some(
      ({ node }) => nameOf(node) === label && (node.role === "searchbox" || node.field?.type === "search"),
    ),
  );
}

type Answer = "yes" | "no" | "unknown";

/** Whether a body carries an entry. `keys` are the names that its field may have in a form. */
export function carries(
  body: SentBody | null,
  entry: Pick<Entry, "kind" | "parts" | "label">,
  keys: ReadonlySet<string>,
): Answer {
  if (body === null) return "no";
  const own = body.values.filter(({ name }) => keys.has(name) || keys.has(name.replace(/\[\]$/, "")));
  switch (entry.kind) {
    case "text":
      return answerForText(body, entry, own, keys);
    case "choice":
      // Most lists send a key of the option and not its words.
      return own.some(({ value }) => value !== "") || isWorded(body, entry.parts) ? "yes" : "unknown";
    case "checked":
      return own.some(({ value }) => !isOff(value)) ? "yes" : "unknown";
    case "unchecked":
      return isSentAsOff(body, own, keys) ? "yes" : "unknown";
  }
}

function answerForText(
  body: SentBody,
  { parts, label }: Pick<Entry, "parts" | "label">,
  own: readonly SentValue[],
  keys: ReadonlySet<string>,
): Answer {
  // An empty text leaves nothing to look for.
  if (parts.length === 0) return own.some(({ value }) => value.trim() === "") ? "yes" : "unknown";
  const hasNames = body.isForm && keys.size > 0;
  const searched = hasNames ? own : body.values;
  if (searched.some(({ value }) => isSameText(parts.join("\n"), value)) || isInRuns(parts, body.values)) return "yes";
  const names = new Set([label, ...keys].map(foldForSending));
  const answers = parts.map((part) =>
    carriesText(part, body.values, searched) ? "yes" : answerForScalar(part, body.values, names),
  );
  if (answers.every((answer) => answer === "yes")) return "yes";
  return body.isOpaque || !answers.includes("no") ? "unknown" : "no";
}

/** A line of a document such as YAML or a configuration file: a value alone, in a list, or after a key. */
const DOCUMENT_LINE = /^(?:[-*]\s+)?(?:["']?([\p{L}\p{N}][^"':=]{0,80}?)["']?\s*[:=]\s*)?(["']?)(.+?)\2[,;]?$/u;
const MAX_LINE = 500;

/** Whether a document that is sent as one text has the text under one of the names. As another value, it may be chance. */
function answerForScalar(text: string, values: readonly SentValue[], names: ReadonlySet<string>): Answer {
  const documents = values.filter(({ value }) => value.includes("\n"));
  const lines = documents.flatMap(({ value }) => value.split("\n").map((line) => line.trim()));
  const keys = lines.flatMap((line) => {
    const [, key = "", , value = ""] = (line.length <= MAX_LINE && DOCUMENT_LINE.exec(line)) || [];
    return value !== "" && isSameText(text, value) ? [foldForSending(key)] : [];
  });
  if (keys.length === 0) return "no";
  return keys.some((key) => key !== "" && names.has(key)) ? "yes" : "unknown";
}

function isWorded({ values }: SentBody, options: readonly string[]): boolean {
  return options.every((option) => values.some(({ value }) => isSameText(option, value)));
}

/** Browsers leave a check box that is off out of a form. */
function isSentAsOff({ isForm }: SentBody, own: readonly SentValue[], keys: ReadonlySet<string>): boolean {
  return own.length === 0 ? isForm && keys.size > 0 : own.every(({ value }) => isOff(value));
}

function isOff(value: string): boolean {
  return /^(?:|0|false|off|no|null)$/i.test(value.trim());
}

/** Shorter texts are in every body by chance: they must be the value of the field itself, or a whole value. */
const MIN_CHARS_INSIDE = 4;

function carriesText(text: string, values: readonly SentValue[], own: readonly SentValue[]): boolean {
  const isShort = foldForSending(text).length < MIN_CHARS_INSIDE;
  return (isShort ? own : values).some(({ value }) => isSameText(text, value) || (!isShort && isInside(text, value)));
}

/** Shorter texts are in joined values by chance. */
const MIN_CHARS_IN_RUNS = 8;

/** Editors send a line in pieces of one property, where a part of it is bold or a link. */
function isInRuns(parts: readonly string[], values: readonly SentValue[]): boolean {
  const runs = [...Map.groupBy(values, ({ name }) => name).values()].map((run) =>
    foldForSending(run.map(({ value }) => value).join("")),
  );
  return runs.some((run) =>
    parts.every((part) => {
      const wanted = foldForSending(part);
      return wanted.length >= MIN_CHARS_IN_RUNS && run.includes(wanted);
    }),
  );
}

/** The same value, as sites write it: other numbers and dates formats, other case and spaces, cents instead of euros. */
function isSameText(entered: string, sent: string): boolean {
  if (isNumber(entered) && isNumber(sent)) return isSameValue(entered, sent) || isInCents(entered, sent);
  if (foldForSending(entered) === "") return entered.trim() === sent.trim();
  if (foldForSending(entered) === foldForSending(sent)) return true;
  const days = daysIn(entered);
  return days.length > 0 && entered.trim().length <= 40 && daysIn(sent).some((day) => days.includes(day));
}

/** Inside markup, a document or a longer text. Digits inside a longer number are another number. */
function isInside(entered: string, sent: string): boolean {
  const wanted = foldForSending(entered);
  const bare = /^0+\d{6,}$/.test(wanted) ? wanted.replace(/^0+/, "") : wanted;
  const folded = foldForSending(sent);
  if (isNumber(entered) && bare.length < 7) return false;
  // Editors that send each change send the last character apart, because it is typed with a key of its own.
  return folded.includes(bare) || (bare.length > 2 * MIN_CHARS_INSIDE && folded.endsWith(bare.slice(0, -1)));
}

function isNumber(text: string): boolean {
  return /^\s*[-−–]?\s?[€£$¥]?\s?\d+(?:[.,'’\s]\d+)*\s?[€£$¥%]?\s*$/.test(text);
}

function isInCents(entered: string, sent: string): boolean {
  const [, whole, cents] = /^\s*(\d+)[.,](\d{2})\s*$/.exec(entered) ?? [];
  return whole !== undefined && sent.trim() === String(Number(`${whole}${cents}`));
}

function daysIn(text: string): string[] {
  return [...findDates(text), ...findDates(text, "dmy"), ...findDates(text, "mdy")].map(({ day }) => day);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Letters and digits only, without markup: sites trim, wrap and escape what was entered. */
function foldForSending(text: string): string {
  const plain = text
    // Where a link in Markdown leads to is not its text.
    .replace(/(?<=\[[^\][]{1,500}\])\((?:https?:|\/|mailto:)[^()\s]{0,2000}\)/g, "")
    .replace(/<\/?[a-z][^<>]{0,500}>/gi, " ")
    .replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w{2,6}));/gi, (whole, decimal, hex, name) =>
      name !== undefined
        ? (ENTITIES[name] ?? whole)
        : String.fromCodePoint(Number.parseInt(hex ?? decimal, hex ? 16 : 10)),
    );
  return foldVisible(plain).replace(/[^\p{L}\p{N}]+/gu, "");
}
