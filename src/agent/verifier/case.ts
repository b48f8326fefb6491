import { type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { findActingVerb } from "../../browser/session/acting-url.ts";
import {
  type BrowserSession,
  NavigationFailed,
  PolicyRefusal,
  type SessionEvents,
} from "../../browser/session/browser-session.ts";
import type { ActionCall } from "../actions/action.ts";
import type { AttributedWrite, StepCause } from "../actions/side-effects.ts";
import { type CapturedPage, type CapturedPages, capturePage, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim, Task } from "../grounding/claim.ts";
import { readText } from "../grounding/page-text.ts";

/** A claim, the task it is checked against, and everything that was observed. */
export interface Case {
  readonly task: Task;
  readonly claim: Claim;
  /** The run's own tab, as it is now. */
  readonly live: Observation;
  /** What the run has seen. */
  readonly captured: CapturedPages;
  /** What the verification browser shows now. */
  readonly freshPages: readonly FreshPage[];
  readonly steps: readonly StepCause[];
  readonly writes: readonly AttributedWrite[];
  /** What happened in the browser during the run. */
  readonly events: Pick<SessionEvents, "requests" | "downloads">;
}

/** A page loaded again after the run, in the verification browser; `page` is null when it could not be loaded. */
export interface FreshPage {
  readonly url: string;
  readonly page: CapturedPage | null;
  readonly observation: Observation | null;
  /** Why there is no page, or that the site redirected to another one. */
  readonly note: string | null;
}

/** A claim may rest on many pages of a list, and each costs a page load. */
const MAX_FRESH_PAGES = 10;

/** Loads each page that the claim rests on, and some others, in the verification browser, which cannot change anything. */
export async function readFreshPages(
  claim: Claim,
  others: readonly string[],
  { session, captured }: { readonly session: BrowserSession; readonly captured: CapturedPages },
  signal: AbortSignal,
): Promise<FreshPage[]> {
  const pages: FreshPage[] = [];
  const named = [...others.filter((url) => /^https?:/.test(url)), ...urlsOf(claim)];
  // A link that acts would act again.
  const urls = uniquePages(named.filter((url) => findActingVerb(url) === null));
  for (const url of urls.slice(0, MAX_FRESH_PAGES)) {
    const fresh = await readFreshPage(url, session, captured, signal);
    pages.push(
      isSignedOut(fresh, captured.list()) ? { ...fresh, page: null, observation: null, note: SIGNED_OUT } : fresh,
    );
  }
  return pages;
}

const SIGNED_OUT = "the verification browser was signed out there, so it could not be read again";

/**
 * The fresh page asks for a password, and the run's own did not: its sign-in could not be shared. That says nothing about the
 * claim. A run that has signed out by itself ends on such a page as well.
 */
function isSignedOut({ url, page }: FreshPage, captured: readonly CapturedPage[]): boolean {
  if (page === null || !asksForPassword(page)) return false;
  const own = captured.filter((seen) => isSamePage(seen.url, url) || isSamePage(seen.url, page.url));
  const last = captured.at(-1);
  return own.length > 0 && !own.some(asksForPassword) && (last === undefined || !asksForPassword(last));
}

function asksForPassword({ root }: CapturedPage): boolean {
  return walk(root).some(({ node }) => node.field?.type === "password");
}

/** Whether the page has a field for a secret: one signs in there. */
export function hasSecretField(url: string, captured: CapturedPages): boolean {
  const pages = captured.list().filter((page) => isSamePage(page.url, url));
  return pages.some(({ root }) => walk(root).some(({ node }) => node.field?.isSecret === true));
}

export function findFreshPage(pages: readonly FreshPage[], url: string): FreshPage | undefined {
  return pages.find((page) => isSamePage(page.url, url));
}

/** Of the text that the run's own page had. Applications show the frame of a page before what it is about. */
const READY_SHARE = 0.5;

async function readFreshPage(
  url: string,
  session: BrowserSession,
  captured: CapturedPages,
  signal: AbortSignal,
): Promise<FreshPage> {
  const own = captured.list().findLast((page) => isSamePage(page.url, url));
  const expected = own === undefined ? 0 : readText(own.root).length * READY_SHARE;
  try {
    const isReady = (root: ObservedNode) => readText(root).length >= expected;
    const { status, observation } = await session.observeForVerification(url, signal, isReady);
    if (status !== null && status >= 400) {
      return { url, page: null, observation: null, note: `a fresh browser got status ${status} for it` };
    }
    const note = isSamePage(observation.url, url) ? null : "a fresh browser was redirected to another page";
    return { url, page: capturePage(observation), observation, note };
  } catch (error) {
    if (!(error instanceof PolicyRefusal) && !(error instanceof NavigationFailed)) throw error;
    return { url, page: null, observation: null, note: `a fresh browser could not open it: ${error.message}` };
  }
}

/** Latest first: those matter most, and when there are too many the earliest are left out. */
function urlsOf({ conditions, facts, extraction }: Claim): string[] {
  return [
    ...(extraction?.leaves.map(({ url }) => url) ?? []),
    ...facts.map(({ url }) => url),
    ...conditions.flatMap((condition) => ("url" in condition ? [condition.url] : [])),
  ].reverse();
}

function uniquePages(urls: readonly string[]): string[] {
  return urls.filter((url, index) => urls.findIndex((other) => isSamePage(other, url)) === index);
}

/** A value that a step entered into a field. */
export interface Entry {
  readonly step: number;
  /** The page of the field. */
  readonly url: string;
  readonly label: string;
  /** "checked" or "unchecked" for a check box. */
  readonly value: string;
  readonly kind: "text" | "choice" | "checked" | "unchecked";
  /** Whether the field holds more than the value, because only a part of its text was changed. */
  readonly isPart: boolean;
  /** What must be found where it was sent: the lines of a text, the chosen options. */
  readonly parts: readonly string[];
}

/** Masked values all look the same, so they cannot be compared. */
const MASKED = /^•+$/;

/** The last value entered into each field, without secrets and without fields that have no label. */
export function findEntries(steps: readonly StepCause[]): Entry[] {
  return findAllEntries(steps).filter(({ label }) => label !== "");
}

/** The same with the last field that has no label. */
export function findAllEntries(steps: readonly StepCause[]): Entry[] {
  const entries = steps.flatMap(toEntry);
  return entries.filter(
    (entry, index) =>
      !MASKED.test(entry.value) &&
      !entries.slice(index + 1).some(({ url, label }) => label === entry.label && isSamePage(url, entry.url)),
  );
}

function toEntry({ step, url, call, hasFailed }: StepCause): Entry[] {
  const entered = hasFailed ? null : enteredBy(call);
  return entered === null ? [] : [{ step, url, label: labelOf(call), ...entered }];
}

function enteredBy({
  action,
  input: { text, options, checked },
}: ActionCall): Omit<Entry, "step" | "url" | "label"> | null {
  if ((action === "fill" || action === "edit") && typeof text === "string") {
    return { kind: "text", value: text, isPart: action === "edit", parts: toParts(text) };
  }
  if (action === "select" && Array.isArray(options)) {
    return { kind: "choice", value: options.join(", "), isPart: false, parts: options.map(String) };
  }
  if (action !== "check" || typeof checked !== "boolean") return null;
  const kind = checked ? "checked" : "unchecked";
  return { kind, value: kind, isPart: false, parts: [] };
}

/** Longer texts are recorded only in part. */
export const MAX_COMPARED = 2_000;

/** Editors send each line as a paragraph of its own. */
function toParts(text: string): string[] {
  const lines = text.slice(0, MAX_COMPARED).split(/\r?\n/);
  return lines.map((line) => line.trim()).filter(Boolean);
}

const ENTRY_ACTIONS: ReadonlySet<string> = new Set(["fill", "edit", "check", "select"]);

/** Whether an action enters something into a field. */
export function isEntry({ action }: ActionCall): boolean {
  return ENTRY_ACTIONS.has(action);
}

/** The label of the element that an action is for; empty when it has none. */
export function labelOf({ input: { label } }: ActionCall): string {
  return typeof label === "string" ? label : "";
}

/** What an action does and to which element. Refs are left out: they are only good for one observation. */
export function identityOf(call: ActionCall): string {
  const { ref: _ref, to_ref: _toRef, ...rest } = call.input;
  return JSON.stringify([call.action, labelOf(call) || rest]);
}
