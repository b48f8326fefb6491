import type { Observation } from "../../browser/observation/observation.ts";
import { type BrowserSession, PolicyRefusal, type SessionEvents } from "../../browser/session/browser-session.ts";
import type { AttributedWrite, StepCause } from "../actions/side-effects.ts";
import { type CapturedPage, type CapturedPages, capturePage, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim, Task } from "../grounding/claim.ts";

/** A claim, the task it is held against, and all that was seen. */
export interface Case extends Sight {
  readonly task: Task;
  readonly claim: Claim;
  readonly live: Observation;
  /** What happened in the browser during the run. */
  readonly events: Pick<SessionEvents, "requests" | "downloads">;
}

/** All that the verifier can hold a claim against. */
export interface Sight {
  /** What was asked for, in the caller's words. */
  readonly prompt: string;
  /** The run's own tab, as it is now. */
  readonly live: Observation;
  /** What the run saw on its way. */
  readonly captured: CapturedPages;
  /** What fresh eyes see. */
  readonly looks: readonly FreshPage[];
  readonly writes: readonly AttributedWrite[];
  readonly steps: readonly StepCause[];
}

/** A page seen again in a fresh tab, after the run; `page` is null when the site did not show it. */
export interface FreshPage {
  readonly url: string;
  readonly page: CapturedPage | null;
  readonly observation: Observation | null;
  /** Why there is no page, or that it led elsewhere. */
  readonly note: string | null;
}

/** A claim may rest on many pages of a list; each look costs a page load. */
const MAX_FRESH_PAGES = 10;

/** Opens each page that the claim rests on, and some others, in a fresh tab, in which nothing can be changed. */
export async function readFreshPages(
  claim: Claim,
  others: readonly string[],
  session: BrowserSession,
  signal: AbortSignal,
): Promise<FreshPage[]> {
  const looks: FreshPage[] = [];
  const addresses = uniquePages([...others.filter((url) => /^https?:/.test(url)), ...urlsOf(claim)]);
  for (const url of addresses.slice(0, MAX_FRESH_PAGES)) looks.push(await readFreshPage(url, session, signal));
  return looks;
}

export function findFreshPage(looks: readonly FreshPage[], url: string): FreshPage | undefined {
  return looks.find((look) => isSamePage(look.url, url));
}

async function readFreshPage(url: string, session: BrowserSession, signal: AbortSignal): Promise<FreshPage> {
  try {
    const { status, observation } = await session.reread(url, signal);
    if (status !== null && status >= 400) {
      return { url, page: null, observation: null, note: `the site answered ${status} to a fresh tab` };
    }
    const note = isSamePage(observation.url, url) ? null : "a fresh tab was sent to another page";
    return { url, page: capturePage(observation), observation, note };
  } catch (error) {
    if (!(error instanceof PolicyRefusal) && (error as Error).name !== "NavigationFailed") throw error;
    return { url, page: null, observation: null, note: `a fresh tab could not open it: ${(error as Error).message}` };
  }
}

/** Latest first: those matter most, and when there are too many the earliest go without. */
function urlsOf({ conditions, facts, extraction }: Claim): string[] {
  return [
    ...(extraction?.leaves.map(({ url }) => url) ?? []),
    ...facts.map(({ url }) => url),
    ...conditions.flatMap((condition) => ("url" in condition ? [condition.url] : [])),
  ].reverse();
}

function uniquePages(all: readonly string[]): string[] {
  return all.filter((url, index) => all.findIndex((other) => isSamePage(other, url)) === index);
}

/** Something that a step put into a field. */
export interface Entry {
  readonly step: number;
  /** The page that the field stood on. */
  readonly url: string;
  readonly label: string;
  /** "checked" or "unchecked" for a box. */
  readonly value: string;
}

/** Of one length in every report, and nothing to compare with. */
const MASKED = /^•+$/;

/** What each field was given last, secrets left out. */
export function findEntries(steps: readonly StepCause[]): Entry[] {
  const entries = steps.flatMap(toEntry);
  return entries.filter(
    (entry, index) =>
      !MASKED.test(entry.value) &&
      !entries.slice(index + 1).some(({ url, label }) => label === entry.label && isSamePage(url, entry.url)),
  );
}

function toEntry({ step, url, call: { action, input }, hasFailed }: StepCause): Entry[] {
  const { label } = input;
  if (hasFailed || typeof label !== "string" || label === "") return [];
  const value = enteredBy(action, input);
  return value === null ? [] : [{ step, url, label, value }];
}

function enteredBy(action: string, { text, options, checked }: StepCause["call"]["input"]): string | null {
  if (action === "fill" && typeof text === "string") return text;
  if (action === "select" && Array.isArray(options)) return options.join(", ");
  if (action === "check" && typeof checked === "boolean") return checked ? "checked" : "unchecked";
  return null;
}
