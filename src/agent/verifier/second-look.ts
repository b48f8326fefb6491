import type { Observation } from "../../browser/observation/observation.ts";
import { type BrowserSession, PolicyRefusal } from "../../browser/session/browser-session.ts";
import { type CapturedPage, capturePage, isSamePage } from "../captured-pages.ts";
import type { Claim } from "../planner/planner.ts";

/** A page seen again in a fresh tab, after the run; `page` is null when the site did not show it. */
export interface SecondLook {
  readonly url: string;
  readonly page: CapturedPage | null;
  readonly observation: Observation | null;
  /** Why there is no page, or that it led elsewhere. */
  readonly note: string | null;
}

/** A claim may rest on many pages of a list; each look costs a page load. */
const MAX_LOOKS = 10;

/** Opens each page that the claim rests on, and some others, in a fresh tab, in which nothing can be changed. */
export async function takeSecondLooks(
  claim: Claim,
  others: readonly string[],
  session: BrowserSession,
  signal: AbortSignal,
): Promise<SecondLook[]> {
  const looks: SecondLook[] = [];
  const addresses = withoutRepetition([...others.filter((url) => /^https?:/.test(url)), ...addressesOf(claim)]);
  for (const url of addresses.slice(0, MAX_LOOKS)) looks.push(await lookAgain(url, session, signal));
  return looks;
}

export function findLook(looks: readonly SecondLook[], url: string): SecondLook | undefined {
  return looks.find((look) => isSamePage(look.url, url));
}

async function lookAgain(url: string, session: BrowserSession, signal: AbortSignal): Promise<SecondLook> {
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
function addressesOf({ conditions, facts, extraction }: Claim): string[] {
  return [
    ...(extraction?.leaves.map(({ url }) => url) ?? []),
    ...facts.map(({ url }) => url),
    ...conditions.flatMap((condition) => ("url" in condition ? [condition.url] : [])),
  ].reverse();
}

function withoutRepetition(all: readonly string[]): string[] {
  return all.filter((url, index) => all.findIndex((other) => isSamePage(other, url)) === index);
}
