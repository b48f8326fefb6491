import type { Application } from "../../applications/application.ts";
import { hostPatternsOf, isOnHosts } from "../../lib/hosts.ts";
import type { Probe, SavedSignIn } from "../vault/saved-sign-in.ts";
import type { LiveBrowser, SiteView } from "./live-browser.ts";
import { isSignInLabel, isSignOutLabel, SIGN_IN_PATH } from "./sign-in-words.ts";

/** The hosts that the application's owner configured. */
export function listSiteHosts({ allowedHosts, homeUrl, signInUrl }: Application): string[] {
  return [...allowedHosts, ...hostPatternsOf([homeUrl, signInUrl])];
}

/** Whether a URL belongs to the site that the application's owner configured. */
export function isOnSite(application: Application, url: string): boolean {
  return isOnHosts(listSiteHosts(application), url);
}

/**
 * Reloads the page, compares it with the owner's rule or with what a signed-out visitor sees, and only then captures the
 * browser state. `problem` is a message for the person.
 */
export async function captureSignIn(
  browser: LiveBrowser,
  application: Application,
  signal: AbortSignal,
): Promise<SavedSignIn | { problem: string }> {
  const { signInUrl } = application;
  const { url } = await browser.view(signal);
  const checkUrl = application.signedInUrl ?? withoutOneTimeParameters(url);
  if (!isOnSite(application, checkUrl)) return { problem: describeOffSite(application, checkUrl) };
  const own = await browser.visit(checkUrl, signal);
  if (!isOnSite(application, own.url)) return { problem: describeOffSite(application, own.url) };
  const rule = readOwnerRule(application, own.url);
  if (rule !== null) {
    const signedOut =
      findSignedOutReason(own, rule, signInUrl) ??
      (rule.mustSee === null ? findIncompleteSignIn(own, signInUrl) : null);
    if (signedOut !== null) return { problem: `You are not signed in yet. ${signedOut}` };
    return { probe: rule, state: await browser.capture() };
  }
  const learned = learnProbe(own, await browser.visitSignedOut(own.url, signal), signInUrl);
  return "problem" in learned ? learned : { probe: learned.probe, state: await browser.capture() };
}

const ONE_TIME_PARAMETER =
  /^(code|state|ticket|token|nonce|session_state|id_token|access_token|otp|samlresponse|relaystate|iss)$/i;

/** Removes what an identity provider passes in a URL: it works once and does not identify the page. */
function withoutOneTimeParameters(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  for (const name of [...url.searchParams.keys()]) {
    if (ONE_TIME_PARAMETER.test(name)) url.searchParams.delete(name);
  }
  url.hash = /(^#|&)(access_token|id_token|code)=/.test(url.hash) ? "" : url.hash;
  return url.href;
}

function describeOffSite({ signInUrl, homeUrl }: Application, currentUrl: string): string {
  const site = URL.parse(homeUrl ?? signInUrl ?? "")?.host ?? "the site";
  const host = URL.parse(currentUrl)?.host ?? "";
  return `You are ${host === "" ? "on a page without a URL" : `at ${host}`}. Finish signing in and return to ${site}, then press the button.`;
}

type LearnedProbe = { readonly probe: Probe } | { readonly problem: string };

const NO_DIFFERENCE =
  "This page looks the same to someone who is not signed in. Finish signing in, open a page that only you can see, such as your account, and press the button again.";

/**
 * Derives a probe from one page as the person sees it and as a signed-out visitor sees it. A page that looks the same to both
 * proves nothing.
 */
export function learnProbe(own: SiteView, signedOutView: SiteView, signInUrl: string | null): LearnedProbe {
  const probe: Probe = {
    url: own.url,
    mustSee: pickDistinctControl(own, signedOutView, isSignOutLabel),
    mustNotSee: pickDistinctControl(signedOutView, own, isSignInLabel),
  };
  if ((own.status ?? 200) >= 400) {
    return {
      problem: `The site responded with ${own.status} when this page was reloaded. Open another page and try again.`,
    };
  }
  const reason = findSignedOutReason(own, probe, signInUrl) ?? findIncompleteSignIn(own, signInUrl);
  if (reason !== null) return { problem: `You are not signed in yet. ${reason}` };
  const isLearned = isRejected(signedOutView, own, signInUrl) || probe.mustSee !== null || probe.mustNotSee !== null;
  return isLearned ? { probe } : { problem: NO_DIFFERENCE };
}

/**
 * Why the sign-in does not look complete. A page that differs from the signed-out view is not enough: between two steps of a
 * sign-in, after a bot check or with a closed banner it differs too, although the person is not signed in.
 */
function findIncompleteSignIn(view: SiteView, signInUrl: string | null): string | null {
  if (view.hasCodeField) return "The site is asking for a code.";
  if (view.controls.some(isSignOutLabel)) return null;
  if (isSignInUrl(view.url, signInUrl)) return "This page is still part of the sign-in.";
  const offer = view.controls.find(isSignInLabel);
  return offer === undefined ? null : `This page still offers "${offer}". Finish signing in, or open your account.`;
}

/** The shortest control of that kind that only the first view has: a short label carries little else. */
function pickDistinctControl(view: SiteView, other: SiteView, isOfKind: (control: string) => boolean): string | null {
  const found = view.controls.filter((control) => isOfKind(control) && !other.controls.includes(control));
  return found.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

/** A signed-out visitor on a sign-in page proves something only when the person is not on one. */
function isRejected(signedOutView: SiteView, own: SiteView, signInUrl: string | null): boolean {
  const { status, url, hasPasswordField } = signedOutView;
  if (status === 401 || hasPasswordField) return true;
  return looksLikeSignInUrl(url, signInUrl) && !looksLikeSignInUrl(own.url, signInUrl);
}

/** Also the sign-in pages of others, such as identity providers. */
export function looksLikeSignInUrl(url: string, signInUrl: string | null): boolean {
  return isSignInUrl(url, signInUrl) || SIGN_IN_PATH.test(URL.parse(url)?.pathname ?? "");
}

type Rule = Pick<Application, "signInUrl" | "signedInUrl" | "signedInText" | "signedOutText">;

/** The owner's own rule for "signed in", or null when there is none. */
function readOwnerRule(application: Rule, url: string): Probe | null {
  const { signedInUrl, signedInText, signedOutText } = application;
  if (signedInText === null && signedOutText === null) return null;
  return { url: signedInUrl ?? url, mustSee: signedInText, mustNotSee: signedOutText };
}

/** A guess during the sign-in: the person has left the sign-in page, or the owner's rule holds. */
export function looksSignedIn(view: SiteView, application: Rule, isOfSite: (url: string) => boolean): boolean {
  const { signInUrl, signedInText, signedOutText } = application;
  if (!isOfSite(view.url) || view.hasPasswordField) return false;
  if (signedOutText !== null && showsText(view, signedOutText)) return false;
  return signedInText === null ? findIncompleteSignIn(view, signInUrl) === null : showsText(view, signedInText);
}

/** Why the person counts as signed out, or null when nothing indicates it. `view` is the page at the probe's URL. */
export function findSignedOutReason(view: SiteView, probe: Probe, signInUrl: string | null): string | null {
  if (view.status === 401) return "The site responded with 401 (not signed in).";
  if (isSignInUrl(view.url, signInUrl) && !isSignInUrl(probe.url, signInUrl)) {
    return "The site sent the browser to its sign-in page.";
  }
  if (view.hasPasswordField) return "The site is asking for a password.";
  const { mustSee, mustNotSee } = probe;
  const lacks = mustSee !== null && !showsText(view, mustSee);
  const showsStrangers = mustNotSee !== null && showsText(view, mustNotSee);
  // A reworded button alone must not force a new sign-in: with two texts, both must indicate "signed out".
  if (lacks && (mustNotSee === null || showsStrangers)) return `The page no longer shows "${mustSee}".`;
  return mustSee === null && showsStrangers ? `The page shows "${mustNotSee}".` : null;
}

/** The sign-in page or a later step of it, such as a one-time code. */
export function isSignInUrl(url: string, signInUrl: string | null): boolean {
  const at = URL.parse(url);
  const signIn = signInUrl === null ? null : URL.parse(signInUrl);
  if (at === null || signIn === null || at.origin !== signIn.origin) return false;
  const path = withoutTrailingSlash(signIn.pathname);
  // With a sign-in form on the front page, every page would be below it: only the exact path counts.
  return path === ""
    ? withoutTrailingSlash(at.pathname) === ""
    : `${withoutTrailingSlash(at.pathname)}/`.startsWith(`${path}/`);
}

function showsText({ text, controls, title }: SiteView, wanted: string): boolean {
  const needle = normalize(wanted);
  return [text, title, ...controls].some((shown) => normalize(shown).includes(needle));
}

function normalize(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();
}

function withoutTrailingSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
