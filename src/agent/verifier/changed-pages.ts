import { walk } from "../../browser/observation/observation.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { toPhrase } from "../grounding/similarity.ts";
import { isAccepted } from "./accepted-writes.ts";
import { type Case, type FreshPage, findAllEntries, labelOf } from "./case.ts";
import { findEntriesBefore } from "./commit-entries.ts";
import { findShown } from "./commit-lines.ts";
import { countParts } from "./page-parts.ts";
import { findSubmissions, type Submission } from "./sent-entries.ts";

type Counts = ReadonlyMap<string, number>;

/**
 * Whether a fresh page differs from what the run saw of it between the change before and this one, in something that may come of
 * the commit: it is about the task, or the run's own tab showed it as well. Pages also change by themselves.
 */
export function isChanged(fresh: FreshPage, commit: Submission, context: Case): boolean {
  const states = findStates(fresh.url, commit, context);
  if (states.length === 0) return false;
  if (fresh.page === null || fresh.note !== null) return wasLeft(fresh, commit, context);
  const before = [...states, ...findStatesBeforeDialog(states, commit, context)].map(({ root }) => countParts(root));
  const now = countParts(fresh.page.root);
  const parts = new Set([...now.keys(), ...before.flatMap((counts) => [...counts.keys()])]);
  const changed = [...parts].filter((part) => before.every((counts) => countOf(counts, part) !== countOf(now, part)));
  if (changed.length === 0) return false;
  const comesOf = toComesOf(fresh, commit, context);
  const findVariant = toFindVariant(now, before);
  return changed.some((part) => comesOf(part, findVariant(part)));
}

function countOf(counts: Counts, part: string): number {
  return counts.get(part) ?? 0;
}

/** The page is no more, or leads to another one. Pages that an application has drawn by itself do that whenever they are loaded. */
function wasLeft({ url, isGone }: FreshPage, commit: Submission, { events }: Case): boolean {
  return (
    isGone === true &&
    isSamePage(url, commit.url) &&
    events.requests.some(
      (request) =>
        request.isNavigation &&
        request.method === "GET" &&
        isAccepted(request) &&
        (request.status ?? 0) < 300 &&
        request.startedAt <= commit.at &&
        isSamePage(request.url, url),
    )
  );
}

interface Part {
  /** The text of the line, or the name of the target. */
  readonly name: string;
  /** What stays when its number and its state change. */
  readonly kind: string;
  readonly isTarget: boolean;
}

/** Where there are as many parts of its kind as before, the part that this one stands in for. */
function toFindVariant(now: Counts, before: readonly Counts[]): (part: string) => string | null {
  const kindsNow = Map.groupBy(now.keys(), (part) => readPart(part).kind);
  const kindsBefore = before.map((counts) => Map.groupBy(counts.keys(), (part) => readPart(part).kind));
  const total = (parts: readonly string[], counts: Counts) =>
    parts.reduce((sum, part) => sum + countOf(counts, part), 0);
  return (part) => {
    const { kind } = readPart(part);
    const own = kindsNow.get(kind) ?? [];
    const others = kindsBefore.map((kinds) => kinds.get(kind) ?? []);
    const isSame = others.some((parts, index) => total(parts, before[index] ?? now) === total(own, now));
    return isSame ? ([...own, ...others.flat()].find((each) => each !== part) ?? null) : null;
  };
}

const TARGET = /^\["(\w+)",("(?:[^"\\]|\\.)*")(?:,(?:null|true|false|"mixed")){3}\]$/s;

function readPart(part: string): Part {
  const [whole, role = "", quoted = ""] = TARGET.exec(part) ?? [];
  const isTarget = whole !== undefined;
  const name = isTarget ? String(JSON.parse(quoted)) : part;
  return { name, kind: `${role} ${name.replace(/\d+/g, "#")}`, isTarget };
}

/** Numbers that go on by themselves: of those who look at a page, and of the time that is left. */
const GOES_ON = /\b(?:viewing|watching|views|online|visitors?|right now|seconds?|minutes?|hours?)\b/i;

/**
 * Whether a difference of a fresh page may come of the commit. The variant is the part that this one stands in for, from which it
 * differs only in a number or a state; null for what is new or gone.
 */
function toComesOf(
  fresh: FreshPage,
  commit: Submission,
  context: Case,
): (part: string, variant: string | null) => boolean {
  const { task } = context;
  const page = fresh.page?.root;
  const label = labelOf(commit.call).trim();
  const asked = toPhrase(`${task.prompt} ${label}`).stems;
  const numbers = new Set(task.prompt.match(/\d+/g));
  const now = page === undefined ? new Map<string, number>() : countParts(page);
  const own = findShown(commit, context)
    .filter(({ url }) => isSamePage(url, fresh.url))
    .map(({ root }) => countParts(root));
  // The run's own tab has loaded the page again, so it must show the same.
  const isLoaded = !isSamePage(fresh.url, commit.url) || commit.accepted.some(({ isNavigation }) => isNavigation);
  const explained = findExplained(commit, context);
  const mustBeShown = isLoaded && own.length > 0;
  const states = findStates(fresh.url, commit, context).map(({ root }) => [...countParts(root).keys()]);
  // It changed before as well, when nothing was sent.
  const hasVaried = (kind: string) =>
    new Set(states.map((parts) => parts.filter((each) => readPart(each).kind === kind).join("\n"))).size > 1;
  return (part, variant) => {
    const { name, kind, isTarget } = readPart(part);
    if (explained.some((text) => contains(name, text))) return false;
    const isShown = own.some((counts) => countOf(counts, part) === countOf(now, part));
    const isAbout = [...toPhrase(name).stems].some((stem) => asked.has(stem));
    if (variant === null) return isShown || (isAbout && !mustBeShown);
    if (readPart(variant).name === name) return isTarget && (name === label || isAbout);
    if ((name.match(/\d+/g) ?? []).some((number) => numbers.has(number))) return true;
    return (isShown || isAbout) && !GOES_ON.test(name) && !hasVaried(kind);
  };
}

/** What an earlier submission wrote, and what was there before: the page may show it only when it is loaded again. */
function findExplained(commit: Submission, context: Case): string[] {
  const earlier = findSubmissions(context).findLast(({ step }) => step < commit.step);
  if (earlier === undefined) return [];
  return findAllEntries(context.steps)
    .filter((entry) => entry.step <= earlier.step)
    .flatMap(({ url, label, place, value }) => [value, context.captured.firstValueOf(url, label, place) ?? ""])
    .filter((text) => /\p{L}{2}/u.test(text));
}

/**
 * Nothing was entered, and what the click took away in the run's own tab is there again in a fresh browser: a message says nothing
 * against that. A card that was moved is where it was. Where the click led to another page, it took nothing away.
 */
export function isTakenBack(commit: Submission, context: Case): boolean {
  const { after, url, step } = commit;
  const next = context.steps.find((later) => later.step > step)?.url ?? context.live.url;
  if (!isSamePage(next, url)) return false;
  const page = context.freshPages.find((fresh) => fresh.note === null && isSamePage(fresh.url, url))?.page;
  const [before, own, now] = [findStates(url, commit, context).at(-1)?.root, after, page?.root].map((root) =>
    root == null ? null : countParts(root),
  );
  if (before == null || own == null || now == null || findEntriesBefore(commit, context).length > 0) return false;
  const gone = [...before.keys()].filter((part) => countOf(own, part) < countOf(before, part));
  return gone.length > 0 && gone.every((part) => countOf(now, part) >= countOf(before, part));
}

/** What the run saw of a page before the commit, since the submission before it. */
function findStates(url: string, { step, seen }: StepCause, context: Case): CapturedPage[] {
  const { captured } = context;
  if (seen === null)
    return captured
      .list()
      .filter((page) => isSamePage(page.url, url))
      .slice(0, 1);
  const earlier = findSubmissions(context).findLast((other) => other.step < step);
  const after = earlier?.seen?.observationNumber ?? 0;
  const since = captured.statesOf(url, { after, until: seen.observationNumber });
  return since.length > 0 ? since : captured.statesOf(url, { until: seen.observationNumber }).slice(-1);
}

const DIALOGS: ReadonlySet<string> = new Set(["dialog", "alertdialog"]);

/** A dialog was open all the time, and a page that is loaded again has none: how the page was before it opened. */
function findStatesBeforeDialog(
  states: readonly CapturedPage[],
  commit: Submission,
  { captured }: Case,
): CapturedPage[] {
  const hasDialog = ({ root }: CapturedPage) => walk(root).some(({ node }) => DIALOGS.has(node.role));
  const [first] = states;
  if (first === undefined || !states.every(hasDialog)) return [];
  const until = commit.seen?.observationNumber ?? 0;
  return captured
    .statesOf(first.url, { until })
    .filter((page) => !hasDialog(page))
    .slice(-1);
}
