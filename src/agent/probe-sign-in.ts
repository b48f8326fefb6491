import { setTimeout as sleep } from "node:timers/promises";
import type { Observation } from "../browser/observation/observation.ts";
import { type SiteView, toSiteView } from "../browser/observation/site-view.ts";
import {
  type BrowserSession,
  NavigationFailed,
  PolicyRefusal,
  StaleElement,
} from "../browser/session/browser-session.ts";
import { findBotWall } from "./walls/bot-wall.ts";

/** How to find out whether the site still knows the user. */
export interface SignInProbe {
  readonly probeUrl: string;
  /** Why the site does not know them any more, or null when nothing says so. */
  findSignedOut(view: SiteView): string | null;
}

/** A page may still be putting itself together when it seems to rest: what it lacks may come. */
const LOOK_DELAYS_MS = [0, 1_000, 2_000];
const DEADLINE_MS = 45_000;
/** What a page with these says is about the user; with any other refusal it is about the site or the address. */
const TELLING_REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/**
 * Why the site does not know the user any more, or null. It is asked in the session's own tab, because a site may renew
 * the sign-in at every visit. A site that cannot be asked has not said no.
 */
export async function probeSignIn(
  { probeUrl, findSignedOut }: SignInProbe,
  session: BrowserSession,
  signal: AbortSignal,
): Promise<string | null> {
  if (!session.allows(probeUrl)) return null;
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const limit = AbortSignal.any([signal, deadline]);
  try {
    const status = await session.goto(probeUrl, limit);
    if (status !== null && status >= 400 && !TELLING_REFUSALS.has(status)) return null;
    return await lookPatiently(session, limit, (observation) => findSignedOut(toSiteView(observation, status)));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted || error instanceof NavigationFailed || error instanceof PolicyRefusal) return null;
    throw error;
  }
}

async function lookPatiently(
  session: BrowserSession,
  signal: AbortSignal,
  judge: (observation: Observation) => string | null,
): Promise<string | null> {
  let reason: string | null = null;
  for (const delayMs of LOOK_DELAYS_MS) {
    if (delayMs > 0) await sleep(delayMs, undefined, { signal });
    const observation = await observeUndisturbed(session, signal);
    // A page that cannot be looked at is empty; one that wants proof of a person says nothing about this one.
    const isTelling = observation.root.children.length > 0 && findBotWall(observation, []) === null;
    reason = isTelling ? judge(observation) : null;
    if (isTelling && reason === null) return null;
  }
  return reason;
}

/** The page that was asked for, whatever it has opened in front of itself. */
async function observeUndisturbed(session: BrowserSession, signal: AbortSignal): Promise<Observation> {
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
