import type { ObservedNode } from "../../browser/observation/observation.ts";
import { oncePer } from "../../lib/once-per.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { findDescendants, readOutsideFields } from "../grounding/page-text.ts";
import { type Case, identityOf } from "./case.ts";
import { toPageLines } from "./page-lines.ts";
import { HELD } from "./page-parts.ts";
import { findSubmissions, type Submission } from "./sent-entries.ts";

/** Where on a page a line stands: in a message or a dialog, in what is around the content, or in a list or table of others. */
type Place = "message" | "heading" | "text" | "record" | "around";

/** A line that came with a commit, or that is new on the page since. */
export interface Line {
  readonly text: string;
  readonly place: Place;
  /** Of a heading: whether it is one for the whole page. */
  readonly isTitle: boolean;
  /** The headings for the whole page. */
  readonly titles: readonly string[];
  /** Whether the run knew the page before: then this line is what is new on it. Of any other page, every line is new. */
  readonly isOnKnownPage: boolean;
  /** Whether it is the page that the commit was on. */
  readonly isOnOwnPage: boolean;
}

/** What the run saw before the commit. Of a second order, the site says the same as of the first. */
export function findKnown(commit: Submission, context: Case): CapturedPage[] {
  const first = findSubmissions(context).find(({ call }) => identityOf(call) === identityOf(commit.call)) ?? commit;
  const until = first.seen?.observationNumber ?? 0;
  return context.captured.list().filter(({ observationNumber }) => observationNumber <= until);
}

interface Shown {
  readonly url: string;
  readonly root: ObservedNode;
}

/** Effects of steps that do something else. */
const ACTS: ReadonlySet<string> = new Set(["navigate", "mutate"]);

/** What came with the commit: the page right after it, and what the run saw until it did something else. */
export function findShown({ step, seen, after }: Submission, { steps, captured, live }: Case): Shown[] {
  const next = steps.find((later) => later.step > step);
  const other = steps.find((later) => later.step > step && ACTS.has(later.effect) && later.call.action !== "dialog");
  const from = seen?.observationNumber ?? 0;
  const until = other === undefined ? Infinity : (other.seen?.observationNumber ?? Infinity);
  const later = captured
    .list()
    .filter(({ observationNumber }) => observationNumber > from && observationNumber <= until);
  const own = { url: next?.url ?? live.url, root: after ?? live.root };
  return [own, ...later, ...(other === undefined ? [live] : [])];
}

/** Native messages that opened after the commit: a question that the page asks before is none. One that is open blocks the page. */
export function listAlerts({ step }: Submission, { steps, events }: Case): Line[] {
  const answered = steps.filter((each) => each.step <= step && each.call.action === "dialog" && !each.hasFailed).length;
  return events.dialogs
    .slice(answered)
    .filter(({ dialog }) => dialog.kind === "alert")
    .map(({ dialog }) => ({
      text: dialog.message,
      place: "message",
      isTitle: false,
      titles: [],
      isOnKnownPage: true,
      isOnOwnPage: true,
    }));
}

/** A page is read once, however many lines are compared with it. */
export const readPlain = oncePer(readOutsideFields);

/** "Your order number is", and the number in the next line. */
const OWN_REFERENCE_IS = /\byour (?:\p{L}+ ){0,2}(?:number|reference|code|id)(?: is)?:?$/iu;

const MAX_LINE = 300;

export function listNewLines({ url, root }: Shown, commit: Submission, known: readonly CapturedPage[]): Line[] {
  const states = known.filter((page) => isSamePage(page.url, url));
  const before = known.map((page) => readPlain(page.root));
  const kinds = countKinds(root);
  const kindsBefore = states.map((page) => countKinds(page.root));
  // What differs from a line before only in a number may count something else.
  const isOther = (text: string) => {
    const kind = withoutNumbers(text);
    return kindsBefore.every((counts) => (counts.get(kind) ?? 0) < (kinds.get(kind) ?? 0));
  };
  const isOnKnownPage = states.some((page) => isSameView(root, page.root));
  const isOnOwnPage = isSamePage(url, commit.url);
  const placeOf = toPlaces(root);
  const lines = toPageLines(root).filter(
    ({ text }) => isPlain(text) && isOther(text) && !before.some((page) => contains(page, text)),
  );
  return lines.map(({ text }, index) => {
    // Emphasis ends a line: "Your order number is **T-1**".
    const next = OWN_REFERENCE_IS.test(text) ? ` ${lines[index + 1]?.text ?? ""}` : "";
    return { text: text + next, isOnKnownPage, isOnOwnPage, ...placeOf(text) };
  });
}

/** A line that is not too long, and neither a field nor a button. */
export function isPlain(text: string): boolean {
  return text.length <= MAX_LINE && !HELD.test(text) && !/^\[.*\]$/.test(text);
}

function countKinds(root: ObservedNode): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of toPageLines(root)) {
    const kind = withoutNumbers(text);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function withoutNumbers(text: string): string {
  return text.replace(/\d+/g, "#");
}

/** With less in common, the application has drawn another page under the same URL. */
const SAME_SHARE = 0.5;

function isSameView(root: ObservedNode, before: ObservedNode): boolean {
  const old = new Set(toPageLines(before).map(({ text }) => text));
  const lines = toPageLines(root);
  return lines.filter(({ text }) => old.has(text)).length >= lines.length * SAME_SHARE;
}

const MESSAGES: ReadonlySet<string> = new Set(["alert", "status", "log", "dialog", "alertdialog"]);
const AROUND: ReadonlySet<string> = new Set(["navigation", "contentinfo", "complementary", "search"]);
const LISTS: ReadonlySet<string> = new Set(["list", "table", "grid", "treegrid", "tree", "feed", "listbox", "article"]);

function toPlaces(root: ObservedNode): (text: string) => Pick<Line, "place" | "isTitle" | "titles"> {
  const textsOf = (nodes: readonly ObservedNode[]) =>
    nodes.flatMap((node) => toPageLines(node).map(({ text }) => text));
  const within = (roles: ReadonlySet<string>) => new Set(textsOf(findDescendants(root, ({ role }) => roles.has(role))));
  const [messages, around, lists] = [within(MESSAGES), within(AROUND), within(LISTS)];
  const headings = findDescendants(root, ({ role }) => role === "heading");
  const named = new Set(textsOf(headings));
  const titles = textsOf(headings.filter(({ states }) => states.level === 1));
  const placeOf = (text: string): Place => {
    if (messages.has(text)) return "message";
    if (around.has(text)) return "around";
    if (lists.has(text)) return "record";
    return named.has(text) ? "heading" : "text";
  };
  return (text) => ({ place: placeOf(text), isTitle: titles.includes(text), titles });
}
