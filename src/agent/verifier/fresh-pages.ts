import { labelOf as nameOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import { findActingVerb } from "../../browser/session/acting-url.ts";
import type { BrowserSession, StorageToUse } from "../../browser/session/browser-session.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { type CapturedPage, capturePage, contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim } from "../grounding/claim.ts";
import { findCommitVerb, maySaveLabel } from "../grounding/english-words.ts";
import { findFieldValues, readText } from "../grounding/page-text.ts";
import {
  type Case,
  type Entry,
  type FreshPage,
  findAllEntries,
  findEntries,
  findUntouched,
  isEntry,
  labelOf,
} from "./case.ts";
import { findDeletions, findTarget } from "./deletions.ts";
import { createReadiness } from "./page-readiness.ts";
import { isLookup, isLookupLabel, isSearchBox } from "./sent-entries.ts";

/** A claim may rest on many pages of a list, and each costs a page load. */
const MAX_FRESH_PAGES = 10;

/** URLs of pages to load again. */
interface PagesToRead {
  /** The claim rests on them, or something was entered there or sent from there. */
  readonly needed: readonly string[];
  /** The run only searched there: they contradict nothing, but may show what no other page does. */
  readonly others: readonly string[];
}

type Run = Pick<Case, "claim" | "task" | "captured" | "steps" | "writes">;

/**
 * A model chooses what it cites in its claim, so the pages it worked on are loaded again as well. So are those of any run that
 * sent something: only a fresh page shows what became of it. For any other run, `lastUrl` is null.
 */
export function findPagesToRead(run: Run, lastUrl: string | null): PagesToRead {
  const deletedFrom = lastUrl === null ? [] : findDeletions(run).map(({ url }) => url);
  const workedOn = lastUrl === null ? [] : [lastUrl, ...deletedFrom, ...findEntries(run.steps).map(({ url }) => url)];
  const cited = citedBy(run.claim);
  const named = [...workedOn.filter((url) => /^https?:/.test(url)), ...cited.map(({ url }) => url)];
  // A link that acts would act again.
  const urls = named.filter((url) => findActingVerb(url) === null);
  const unique = urls.filter((url, index) => urls.findIndex((other) => isSamePage(other, url)) === index);
  const pages = unique.slice(0, MAX_FRESH_PAGES);
  const proofs = [lastUrl ?? "", ...cited.flatMap(({ isField, url }) => (isField ? [] : [url]))];
  const isNeeded = (url: string) =>
    deletedFrom.includes(url) || proofs.some((other) => isSamePage(other, url)) || !isOnlySearched(url, run);
  return { needed: pages.filter(isNeeded), others: pages.filter((url) => !isNeeded(url)) };
}

/** Latest first: those matter most, and when there are too many the earliest are left out. */
function citedBy({ conditions, facts, extraction }: Claim): { readonly url: string; readonly isField: boolean }[] {
  const grounds = [...(extraction?.leaves ?? []), ...facts].map(({ url }) => ({ url, isField: false }));
  // What a tab shows at the end is seen in that tab.
  const stated = conditions.flatMap((each) =>
    "url" in each && each.kind !== "address" ? [{ url: each.url, isField: each.kind === "field" }] : [],
  );
  return [...grounds, ...stated].reverse();
}

/** Whether everything that was entered on a page looks something up, and nothing was sent or saved there. */
function isOnlySearched(url: string, run: Run): boolean {
  const { claim, steps, writes } = run;
  const isHere = (each: { readonly url: string } | null) => each !== null && isSamePage(each.url, url);
  const entries = findAllEntries(steps).filter(isHere);
  return (
    entries.length > 0 &&
    entries.every((entry) => isLookup(entry, run) || isSearch(entry, run)) &&
    !writes.some(({ cause }) => isHere(cause)) &&
    !steps.some((step) => isHere(step) && !isEntry(step.call) && maySaveLabel(labelOf(step.call))) &&
    !claim.conditions.some((each) => each.kind === "field" && each.isSaved && isHere(each))
  );
}

/**
 * Whether all that the run did on the page was to type this into an empty search box, and the site showed another page of its own with
 * just this text in its query. A page that showed the text before may show what became of it.
 */
function isSearch(entry: Entry, run: Run): boolean {
  const { steps, captured } = run;
  const own = steps.filter(({ url, effect }) => isSamePage(url, entry.url) && effect !== "read");
  const next = steps.find(({ step }) => step > (own.at(-1)?.step ?? 0));
  const [from, to] = [URL.parse(entry.url), URL.parse(next?.url ?? "")];
  const typed = foldVisible(entry.value);
  const before = findUntouched(entry.url, run);
  return (
    own.every((step) => step.step === entry.step || isSendingSearch(step)) &&
    from?.origin === to?.origin &&
    from?.pathname !== to?.pathname &&
    [...(to?.searchParams.values() ?? [])].some((value) => typed !== "" && foldVisible(value) === typed) &&
    isSearchBox(entry, run) &&
    (captured.firstValueOf(entry.url, entry.label) ?? "") === "" &&
    !foldVisible(before?.text ?? "").includes(typed)
  );
}

function isSendingSearch({ call }: StepCause): boolean {
  return call.action === "press"
    ? call.input["key"] === "Enter"
    : call.action === "click" && isLookupLabel(labelOf(call));
}

/** Loads pages in a verification context, which cannot change anything. */
export async function readFreshPages(
  urls: readonly string[],
  { session, ...run }: Omit<Run, "task"> & { readonly session: BrowserSession },
  signal: AbortSignal,
  storage: StorageToUse = "of the run",
): Promise<FreshPage[]> {
  if (urls.length === 0) return [];
  const seen = run.captured.list();
  const pages = urls.map((url) => {
    const clicks = findClicks(url, run);
    const states = seen.filter((page) => isSamePage(page.url, url)).map(({ root }) => root);
    // With what the run has opened there closed, a page has less text.
    const own = states.some(clicks.canBegin) ? states.filter(clicks.canBegin) : states.slice(-1);
    return { url, clicks, ...(own.length > 0 && createReadiness(url, own, run)) };
  });
  const read = await session.observeForVerification(pages, signal, storage);
  return urls.map((url, index): FreshPage => {
    const found = read[index];
    const without = (note: string) => ({ url, page: null, observation: null, note });
    if (found === undefined || "failure" in found)
      return without(`a fresh browser could not open it: ${found?.failure.message}`);
    const { status, observation } = found;
    if (status !== null && status >= 400) {
      const isGone = status === 404 || status === 410;
      return { ...without(`a fresh browser got status ${status} for it`), isGone };
    }
    const page = capturePage(observation);
    if (isSignedOut(url, page, seen))
      return without("a fresh browser was signed out there, so it could not be read again");
    const note = isSamePage(observation.url, url) ? null : "a fresh browser was redirected to another page";
    return {
      url,
      page,
      observation,
      note,
      isGone: note !== null,
      clicked: pages[index]?.clicks.clickedFor(observation.root) ?? [],
    };
  });
}

const MAX_CLICKS = 4;

/**
 * What a claim cites, or the run has changed, may be in a menu, a tab or a dialog, which is closed when its page is loaded again. It is
 * opened as the run has opened it: with clicks on that page that sent nothing and led nowhere else.
 */
function findClicks(url: string, { claim, steps, captured }: Pick<Run, "claim" | "steps" | "captured">) {
  const isHere = (each: { readonly url: string }) => isSamePage(each.url, url);
  const nameOfTarget = (step: StepCause) => labelOf(step.call) || (findTarget(step, captured)?.visit.node.name ?? "");
  const quotes = [
    ...claim.conditions.flatMap((each) => (each.kind === "text" && isHere(each) ? [each.text] : [])),
    ...claim.facts.flatMap((fact) => (fact.quote !== null && isHere(fact) ? [fact.quote] : [])),
  ];
  const cited = claim.conditions.flatMap((each) => (each.kind === "field" && isHere(each) ? [each.label] : []));
  const fields = [...new Set([...cited, ...findEdited(url, { steps, captured }).map(({ label }) => label)])];
  const isOpening = (step: StepCause, index: number) =>
    isHere(step) &&
    step.call.action === "click" &&
    !step.hasFailed &&
    !maySaveLabel(nameOfTarget(step)) &&
    findCommitVerb(nameOfTarget(step)) === null &&
    isHere(steps[index + 1] ?? step) &&
    // Also what leaves nothing behind, such as an answer to a cookie banner, is not sent again.
    step.after === null;
  const left = [...new Set(steps.filter(isOpening).map(nameOfTarget))].filter(Boolean).slice(-MAX_CLICKS);
  const clicked: string[] = [];
  const states: ObservedNode[] = [];
  return {
    clickedFor: (root: ObservedNode) => (states.includes(root) ? clicked.slice(0, states.indexOf(root)) : clicked),
    isHere: (shown: string) => isSamePage(shown, url),
    canBegin: (root: ObservedNode) => left.some((label) => findOnly(label, root, url) !== null),
    expected: left.length === 0 ? 0 : quotes.length + fields.length,
    count(root: ObservedNode) {
      const text = readText(root);
      const shown = quotes.filter((quote) => contains(text, quote));
      return shown.length + fields.filter((label) => findFieldValues({ root }, label).length > 0).length;
    },
    next(root: ObservedNode) {
      states.push(root);
      for (let label = left.shift(); label !== undefined; label = left.shift()) {
        const ref = findOnly(label, root, url);
        if (ref !== null) clicked.push(label);
        if (ref !== null) return ref;
      }
      return null;
    },
  };
}

/**
 * The fields of the page whose values the run has changed. None in a form for something new, in which some field was blank: it
 * shows nothing of what became of it.
 */
function findEdited(url: string, { steps, captured }: Pick<Run, "steps" | "captured">): Entry[] {
  const entries = findEntries(steps).filter((entry) => isSamePage(entry.url, url));
  const hadValue = ({ label, place }: Entry) => (captured.firstValueOf(url, label, place) ?? "") !== "";
  return entries.every(hadValue) ? entries : [];
}

/** The ref of the only target with this name, unless it is a link to another page. */
function findOnly(name: string, root: ObservedNode, pageUrl: string): string | null {
  const named = [...walk(root)].filter(({ node }) => node.ref !== null && nameOf(node) === name);
  const [only, ...others] = named.map(({ node }) => node);
  if (only === undefined || others.length > 0) return null;
  const stays = only.url === null || isSamePage(only.url, pageUrl) || /^javascript:/i.test(only.url);
  return stays ? only.ref : null;
}

/**
 * The fresh page asks for a password, and the run's own did not: its sign-in could not be shared. That says nothing about the
 * claim. A run that has signed out by itself ends on such a page as well.
 */
function isSignedOut(url: string, page: CapturedPage, captured: readonly CapturedPage[]): boolean {
  if (!asksForPassword(page)) return false;
  const own = captured.filter((seen) => isSamePage(seen.url, url) || isSamePage(seen.url, page.url));
  const last = captured.at(-1);
  return own.length > 0 && !own.some(asksForPassword) && (last === undefined || !asksForPassword(last));
}

function asksForPassword({ root }: CapturedPage): boolean {
  return walk(root).some(({ node }) => node.field?.type === "password");
}
