import { setTimeout as sleep } from "node:timers/promises";
import type { Observation } from "../../browser/observation/observation.ts";
import { StaleElement } from "../../browser/observation/pin-element.ts";
import { type SiteView, toSiteView } from "../../browser/observation/site-view.ts";
import { type BrowserSession, NavigationFailed, PolicyRefusal } from "../../browser/session/browser-session.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import { findBotWall, isSignInUrl } from "./obstacles.ts";

/** How to check that the session is still signed in as the user. */
export interface SignInProbe {
  readonly probeUrl: string;
  /** Why the page shows that the user is signed out; null when nothing indicates that. */
  findSignedOut(view: SiteView): string | null;
}

/** A page may still be rendering when it seems to have settled, so a signed-out page is observed again. */
const OBSERVATION_DELAYS_MS = [0, 500, 1_500];
const DEADLINE_MS = 45_000;
/** Pages with these statuses are about the user; with any other error status they are about the site or the URL. */
const STATUSES_ABOUT_THE_USER: ReadonlySet<number> = new Set([401, 403]);

/**
 * Why the site no longer treats the session as signed in, or null. The probe page is opened in the session's own tab,
 * because a site may renew the sign-in at every visit. A site that cannot be reached does not count as signed out.
 */
export async function probeSignIn(
  { probeUrl, findSignedOut }: SignInProbe,
  session: BrowserSession,
  signal: AbortSignal,
): Promise<string | null> {
  if (!session.allows(probeUrl)) return null;
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const limit = AbortSignal.any([signal, deadline]);
  const mark = session.mark();
  try {
    const status = await session.goto(probeUrl, limit);
    if (status !== null && status >= 400 && !STATUSES_ABOUT_THE_USER.has(status)) return null;
    return await observeUntilLoaded(session, limit, (observation) => findSignedOut(toSiteView(observation, status)));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PolicyRefusal) return findSentAway(session.since(mark).requests);
    if (deadline.aborted || error instanceof NavigationFailed) return null;
    throw error;
  }
}

/** An identity provider on another host may not be opened, but being sent there is proof enough. */
function findSentAway(requests: readonly NetworkRecord[]): string | null {
  const refused = requests.findLast(({ isNavigation, blockedBy }) => isNavigation && blockedBy === "allow_list");
  if (refused === undefined || !isSignInUrl(refused.url)) return null;
  return `The site sent the browser to ${new URL(refused.url).host} to sign in.`;
}

async function observeUntilLoaded(
  session: BrowserSession,
  signal: AbortSignal,
  judge: (observation: Observation) => string | null,
): Promise<string | null> {
  let reason: string | null = null;
  for (const delayMs of OBSERVATION_DELAYS_MS) {
    if (delayMs > 0) await sleep(delayMs, undefined, { signal });
    const observation = await observeFirstTab(session, signal);
    if (!session.allows(observation.url)) throw new PolicyRefusal("The page left the allowed hosts of this run.");
    // A bot wall says nothing about this user. A page that could not be observed is empty.
    if (findBotWall(observation, []) !== null) return null;
    const isEmpty = observation.root.children.length === 0;
    reason = isEmpty ? null : judge(observation);
    if (reason === null && !isEmpty) return null;
  }
  return reason;
}

/** The probe page itself: dialogs are dismissed and other tabs closed first. */
async function observeFirstTab(session: BrowserSession, signal: AbortSignal): Promise<Observation> {
  if (session.dialog !== null) await session.answerDialog({ accept: false });
  const observation = await session.observe(signal);
  const [first, ...others] = observation.tabs;
  if (first === undefined || others.length === 0) return observation;
  for (const { id } of others) await session.closeTab(id).catch(ignoreClosed);
  return session.observe(signal);
}

function ignoreClosed(error: unknown): void {
  if (!(error instanceof StaleElement)) throw error;
}
