import type { StoredChange } from "../../browser/session/browser-session.ts";
import { isWrite } from "../../browser/session/network-record.ts";
import { isBeacon } from "../actions/side-effects.ts";
import { contains } from "../grounding/captured-pages.ts";
import { quotedIn, withoutQuotedText } from "../grounding/english-words.ts";
import { splitWords, toPhrase } from "../grounding/similarity.ts";
import { type Case, type Entry, findAllEntries, isEntry, labelOf } from "./case.ts";
import { isForTask } from "./check-effect.ts";
import { isTelling } from "./check-kept.ts";
import { isLookup, REPORT_PATH } from "./sent-entries.ts";

type StoredEntry = StoredChange["entries"][number];

const DATA_TYPES: ReadonlySet<string> = new Set(["fetch", "xhr", "websocket", "eventsource"]);
/** Files of the application itself, which a page may load with a script. */
const FILE = /\.(?:json|js|mjs|css|svg|html?|txt|xml|wasm|webmanifest|md|csv|woff2?|png|jpe?g|webp)$/i;

/** Why there may be a server that should have got the change; null when nothing suggests one. */
export function findServer(context: Case, stored: readonly StoredChange[]): string | null {
  const { events, writes, steps } = context;
  const entries = stored.flatMap((change) => change.entries);
  if (writes.some(({ write }) => write.isFirstParty && !isReport(write)))
    return "the site does send changes to its server";
  const isData = events.requests.some(
    (request) =>
      request.isFirstParty &&
      DATA_TYPES.has(request.resourceType) &&
      !FILE.test(pathOf(request)) &&
      !(isWrite(request) && isReport(request)),
  );
  if (isData && !isOfBrowser(entries, context)) return "the site exchanges data with its server";
  const queue = entries.find(({ name }) => isQueue(name))?.name;
  if (queue !== undefined) return `it has stored "${queue.slice(0, 60)}"`;
  const acts = steps.filter(({ effect }) => effect === "mutate").map(({ call }) => labelOf(call));
  return acts.some((label) => SENDS.test(label)) ? "what was clicked sends something" : null;
}

type Sent = Pick<Case["writes"][number]["write"], "url" | "resourceType">;

/** Whether a request only reports how the page is used. */
export function isReport(write: Sent & Parameters<typeof isBeacon>[0]): boolean {
  return isBeacon(write) || REPORT_PATH.test(pathOf(write));
}

function pathOf({ url }: { readonly url: string }): string {
  return URL.parse(url)?.pathname ?? "";
}

/** Nobody presses these for what stays in the browser. */
const SENDS =
  /^(?:send|submit|publish|post|order|buy|pay|book|reserve|subscribe|sign up|register|invite|share|transfer|sync)\b/i;

/** How applications call what they have still to send. */
const QUEUE =
  /\b(?:out ?box|queued?|queues|pending|un ?sy?nced|unsent|to ?sync|dirty|mutations?|offline|retry|retries|sync)\b|\b(?:outbox|queue|pending|unsynced|offline)|(?:outbox|queue)\b/;

function isQueue(name: string): boolean {
  return QUEUE.test(splitWords(name).join(" "));
}

/** What sites keep in the browser on purpose, also those whose other data is on a server. Each line is one kind. */
const OF_BROWSER: readonly RegExp[] = [
  /\b(?:my|shopping)? ?(?:cart|basket)(?:s|items?)?\b|\b(?:shopping|to(?: my| the| your)?) bag\b|\bbag items?\b/,
  /\bwish ?lists?\b|\bfavou?rites?\b/,
  /\bcompar(?:e|ison)\b/,
  /\b(?:theme|dark|appearance)(?: ?mode)?\b/,
  /\b(?:locale|language)\b/,
];

function kindsOf(text: string): RegExp[] {
  const words = splitWords(text).join(" ");
  return OF_BROWSER.filter((kind) => kind.test(words));
}

/** Whether the change itself is of such a kind: by the names that hold it, or by what was acted on. Others may be stored beside it. */
function isOfBrowser(entries: readonly StoredEntry[], context: Case): boolean {
  const [names, labels] = [findHolders(entries, context).map(({ name }) => name), findLabels(context)];
  return [names, labels].some((texts) => texts.length > 0 && texts.every((text) => kindsOf(text).length > 0));
}

function findEntered(context: Case): Entry[] {
  return findAllEntries(context.steps).filter((entry) => !isLookup(entry, context));
}

/** What was clicked and chosen for the task. The label of a field for text says nothing of what the text is for. */
function findLabels(context: Case): string[] {
  const acts = context.steps.filter(
    (step) => step.effect === "mutate" && !isEntry(step.call) && isForTask(step, [], context),
  );
  const chosen = findEntered(context).filter(({ kind }) => kind !== "text");
  return [...acts.map(({ call }) => labelOf(call)), ...chosen.map(({ label }) => label)];
}

/**
 * The entries with a text that was entered, or all of them where none has it as it was entered. After clicks alone, those that are
 * called or set as the task says.
 */
function findHolders(entries: readonly StoredEntry[], context: Case): readonly StoredEntry[] {
  const { prompt } = context.task;
  const texts = [...findEntered(context).map(({ value }) => value), ...quotedIn(prompt)].filter(isTelling);
  if (texts.length > 0) {
    const holding = entries.filter(({ before, now }) =>
      texts.some((text) => holds(now ?? "", text) !== holds(before ?? "", text)),
    );
    return holding.length > 0 ? holding : entries;
  }
  const words = withoutQuotedText(prompt);
  const [asked, kinds] = [toPhrase(words).stems, kindsOf(words)];
  return entries.filter(({ name, now }) => {
    const isNamed = [...toPhrase(name).stems].some((stem) => asked.has(stem));
    return isNamed || kindsOf(name).some((kind) => kinds.includes(kind)) || (now !== null && isAsked(now, asked));
  });
}

function holds(value: string, text: string): boolean {
  return contains(value, text) || contains(value, JSON.stringify(text).slice(1, -1));
}

const MAX_WORDS = 3;

function isAsked(value: string, asked: ReadonlySet<string>): boolean {
  const stems = value.length > 100 || !isTelling(value) ? [] : [...toPhrase(value).stems];
  return stems.length > 0 && stems.length <= MAX_WORDS && stems.every((stem) => asked.has(stem));
}
