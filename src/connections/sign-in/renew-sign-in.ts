import { setTimeout as sleep } from "node:timers/promises";
import type { Application } from "../../applications/application.ts";
import type { Clock } from "../../lib/clock.ts";
import { isOnHosts } from "../../lib/hosts.ts";
import type { Logger } from "../../lib/logger.ts";
import { computeTotp, type TotpSecret, totpMsLeft } from "../../lib/totp.ts";
import type { CredentialStore, Credentials, RenewalFailure, TryResult } from "../vault/credentials.ts";
import type { SavedSignIn } from "../vault/saved-sign-in.ts";
import { SignInUnreadable, type Vault } from "../vault/vault.ts";
import { openUnwatched } from "./import-sign-in.ts";
import type { LiveBrowser, OpenLiveBrowser, SignInEntry } from "./live-browser.ts";
import { captureSignIn, isOnSite, listSiteHosts, looksLikeSignInUrl, looksSignedIn } from "./probe.ts";
import { isSubmitLabel } from "./sign-in-words.ts";

/** Signs users in again with their stored credentials when their sign-in has expired. */
export interface SignInRenewals {
  /**
   * One try, in a browser of its own in which nothing is recorded. `save` keeps the new sign-in while its caller holds the
   * connection, and returns whether it did. Only one caller at a time may hold a connection, so there is one try for each
   * expiry.
   */
  renew(connectionId: string, expired: SavedSignIn, save: SaveSignIn, signal: AbortSignal): Promise<Renewal>;
  /** The renewed sign-in did not last: the credentials are not tried again. */
  fail(connectionId: string): Promise<void>;
}

type SaveSignIn = (renewed: SavedSignIn) => Promise<boolean>;

export type Renewal =
  | { readonly outcome: "renewed" }
  /** There are no credentials, they may not be used, or they have failed before. */
  | { readonly outcome: "none" }
  /** Nothing was entered: the site or a browser was not available. */
  | { readonly outcome: "unavailable" }
  | { readonly outcome: "failed"; readonly failure: RenewalFailure };

interface SignInRenewalsDependencies {
  readonly credentials: Pick<CredentialStore, "beginTry" | "endTry">;
  readonly vault: Pick<Vault, "openCredentials">;
  /** The application of a connection. */
  readonly findApplication: (connectionId: string) => Promise<Application | null>;
  readonly openBrowser: OpenLiveBrowser;
  readonly clock: Clock;
  readonly logger: Logger;
}

const RENEWAL_MS = 120_000;
/** User name, password and code on a page each, and one more for a page in between. */
const MAX_PAGES = 5;
/** A code that is about to expire may arrive too late. */
const MIN_CODE_MS = 3_000;

export function createSignInRenewals(dependencies: SignInRenewalsDependencies): SignInRenewals {
  const { credentials, vault, findApplication, openBrowser, clock, logger } = dependencies;

  async function tryOnce(attempt: Attempt, save: SaveSignIn): Promise<TryResult> {
    const { application, expired, signal } = attempt;
    await using browser = await openUnwatched(openBrowser, application, expired.state, signal);
    await browser.visit(application.signInUrl, signal);
    attempt.isReached = true;
    const failure = await enter(browser, attempt, clock);
    if (failure !== null) return failure;
    // Whether they are signed in shows where it showed before.
    await browser.visit(expired.probe.url, signal);
    const renewed = await captureSignIn(browser, application, signal);
    if ("problem" in renewed) return attempt.hasEntered ? "not_signed_in" : "unknown_form";
    return (await save(renewed)) ? "renewed" : "interrupted";
  }

  return {
    async renew(connectionId, expired, save, caller) {
      const application = await findApplication(connectionId);
      if (application === null || application.signInUrl === null || !application.storedCredentials) return NONE;
      const stored = await credentials.beginTry(connectionId);
      if (stored === null) return NONE;
      const signal = AbortSignal.any([caller, AbortSignal.timeout(RENEWAL_MS)]);
      const { signInUrl } = application;
      let result: TryResult = "interrupted";
      let attempt: Attempt | null = null;
      try {
        const opened = vault.openCredentials(connectionId, stored);
        attempt = { application: { ...application, signInUrl }, expired, credentials: opened, signal };
        result = mayEnterAt(opened, signInUrl) ? await tryOnce(attempt, save) : "other_site";
      } catch (error) {
        // Only the name: a message may quote the page.
        const reason = error instanceof Error ? error.name : typeof error;
        logger.warn({ connection_id: connectionId, reason }, "Could not renew a sign-in");
        result = explain(error, attempt);
      } finally {
        await credentials.endTry(connectionId, stored.revision, result);
      }
      logger.info({ connection_id: connectionId, result }, "Signed in with stored credentials");
      return toRenewal(result);
    },

    async fail(connectionId) {
      const stored = await credentials.beginTry(connectionId);
      if (stored !== null) await credentials.endTry(connectionId, stored.revision, "signed_out_again");
    },
  };
}

const NONE: Renewal = { outcome: "none" };

interface Attempt {
  readonly application: Application & { signInUrl: string };
  readonly expired: SavedSignIn;
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
  /** The sign-in page was opened. */
  isReached?: boolean;
  hasEntered?: boolean;
}

function explain(error: unknown, attempt: Attempt | null): TryResult {
  if (error instanceof SignInUnreadable) return "unreadable";
  // Without the site, nothing was entered, and the next run may try.
  if (attempt?.isReached !== true) return "untried";
  return attempt.hasEntered === true ? "interrupted" : "unknown_form";
}

function toRenewal(result: TryResult): Renewal {
  if (result === "renewed") return { outcome: "renewed" };
  return result === "untried" ? { outcome: "unavailable" } : { outcome: "failed", failure: result };
}

/** From page to page, each value once. Null when the site asks for nothing more. */
async function enter(browser: LiveBrowser, attempt: Attempt, clock: Clock): Promise<RenewalFailure | null> {
  const entered = new Set<string>();
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { asked, isSent, isAllowed } = await browser.enterSignIn(toEntry(attempt, entered, clock), attempt.signal);
    if (asked.length === 0) return null;
    if (!isSent) return isAllowed ? explainRefusal(asked, entered) : "other_site";
    if (asked.every((field) => entered.has(field))) return "rejected";
    for (const field of asked) entered.add(field);
    attempt.hasEntered = true;
    if (entered.has("password") && (await seemsSignedIn(browser, attempt))) return null;
  }
  return "rejected";
}

function toEntry(
  { application, credentials, signal }: Attempt,
  entered: ReadonlySet<string>,
  clock: Clock,
): SignInEntry {
  const { userName, password, totp } = credentials;
  const code = totp && (() => computeFreshCode(totp, clock, signal));
  return {
    values: {
      // A page may ask for it again, beside the password.
      userName,
      password: entered.has("password") ? null : password,
      code: entered.has("code") ? null : code,
    },
    mayEnter: (url) => mayEnterAt(credentials, url),
    isSignInPage: (url) => looksLikeSignInUrl(url, application.signInUrl),
    isSubmitLabel,
  };
}

/** A guess that saves waiting for another form. */
async function seemsSignedIn(browser: LiveBrowser, { application, signal }: Attempt): Promise<boolean> {
  try {
    return looksSignedIn(await browser.view(signal), application, (url) => isOnSite(application, url));
  } catch {
    // The page navigates, or shows an error.
    signal.throwIfAborted();
    return false;
  }
}

/** The form asks for something that is not stored, or asks a second time. */
function explainRefusal(asked: readonly string[], entered: ReadonlySet<string>): RenewalFailure {
  if (asked.includes("password")) return "rejected";
  return entered.has("code") ? "code_rejected" : "code_required";
}

async function computeFreshCode(totp: TotpSecret, clock: Clock, signal: AbortSignal): Promise<string> {
  const leftMs = totpMsLeft(totp, clock.now().getTime());
  if (leftMs < MIN_CODE_MS) await sleep(leftMs, undefined, { signal });
  return computeTotp(totp, clock.now().getTime());
}

/** Where the user has agreed to, whatever the application has become since. */
function mayEnterAt({ hosts, isHttpsOnly }: Credentials, url: string): boolean {
  return isOnHosts(hosts, url) && (!isHttpsOnly || url.startsWith("https:"));
}

/** Where credentials may be entered that are stored now. */
export function whereToEnter(application: Application): Pick<Credentials, "hosts" | "isHttpsOnly"> {
  const hosts = [...new Set(listSiteHosts(application))];
  return { hosts, isHttpsOnly: application.signInUrl?.startsWith("https:") === true };
}
