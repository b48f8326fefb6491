import { foldVisible } from "../../browser/observation/visible-text.ts";
import { type Case, findFreshPage, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { findEntriesBefore } from "./commit-entries.ts";
import { toPageLines } from "./page-lines.ts";
import { findSubmissions } from "./sent-entries.ts";

const NONE =
  /^(?:(?:you(?: currently)? have|there are)(?: still)? )?(?:no|0) (?<things>\p{L}{4,})(?: (?:yet|here|so far))?[.!]?$/iu;
/** "Book" and "bookings", "Reserve" and "reservations". */
const MIN_STEM = 4;

/** After "Book now", the page that the run was led to does not say "You have no bookings", neither then nor when it is read again. */
export function checkStillNone(context: Case): Check[] {
  const commit = findSubmissions(context).at(-1);
  const fresh = commit === undefined ? undefined : findFreshPage(context.freshPages, context.live.url);
  if (commit === undefined || fresh?.page == null || fresh.note !== null) return [];
  if (findEntriesBefore(commit, context).length === 0) return [];
  const verbs = foldVisible(labelOf(commit.call)).split(/[^\p{L}]+/u);
  const own = new Set(toPageLines(context.live.root).map(({ text }) => text));
  const line = toPageLines(fresh.page.root).find(({ text }) => own.has(text) && isAbout(text, verbs))?.text;
  if (line === undefined) return [];
  const evidence = `After "${labelOf(commit.call).slice(0, 40)}" a fresh browser shows "${line}"`;
  return [{ about: "What was made is there", verdict: "unknown", evidence }];
}

function isAbout(line: string, verbs: readonly string[]): boolean {
  const things = foldVisible(NONE.exec(line.trim())?.groups?.["things"] ?? "");
  return verbs.some((verb) => {
    const stem = verb.replace(/e$/, "");
    return stem.length >= MIN_STEM && things.startsWith(stem);
  });
}
