import type { Application } from "../../applications/application.ts";
import { hostPatternsOf, isOnHosts } from "../../lib/hosts.ts";
import type { Probe, SavedSignIn } from "../vault/saved-sign-in.ts";
import type { LiveBrowser, SiteView } from "./live-browser.ts";
import { SIGN_IN_PATH } from "./sign-in-path.ts";
import { isSignInLabel, isSignOutLabel } from "./sign-in-words.ts";

/** Whether an address belongs to the site that the application's owner has named. */
export function isOnSite({ allowedHosts, homeUrl, signInUrl }: Application, url: string): boolean {
  return isOnHosts([...allowedHosts, ...hostPatternsOf([homeUrl, signInUrl])], url);
}

/**
 * Opens the page anew, holds it against the owner's rule or against what a stranger sees, and only then captures what the
 * site knows the person by. A problem is said in words for the person.
 */
export async function captureSignIn(
  browser: LiveBrowser,
  application: Application,
  signal: AbortSignal,
): Promise<SavedSignIn | { problem: string }> {
  const { signInUrl } = application;
  const { url } = await browser.look(signal);
  const place = application.signedInUrl ?? withoutOneTimeParameters(url);
  if (!isOnSite(application, place)) return { problem: describeOffSite(application, place) };
  const own = await browser.revisit(place, signal);
  if (!isOnSite(application, own.url)) return { problem: describeOffSite(application, own.url) };
  const rule = readOwnerRule(application, own.url);
  if (rule !== null) {
    const signedOut =
      findSignedOutReason(own, rule, signInUrl) ??
      (rule.mustSee === null ? findIncompleteSignIn(own, signInUrl) : null);
    if (signedOut !== null) return { problem: `You are not signed in yet. ${signedOut}` };
    return { probe: rule, state: await browser.capture() };
  }
  const lesson = learnProbe(own, await browser.visitAsStranger(own.url, signal), signInUrl);
  return "problem" in lesson ? lesson : { probe: lesson.probe, state: await browser.capture() };
}

const ONE_TIME_PARAMETER =
  /^(code|state|ticket|token|nonce|session_state|id_token|access_token|otp|samlresponse|relaystate|iss)$/i;

/** What an identity provider hands over in an address can be used once, and says nothing about where the person is. */
function withoutOneTimeParameters(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  for (const name of [...url.searchParams.keys()]) {
    if (ONE_TIME_PARAMETER.test(name)) url.searchParams.delete(name);
  }
  url.hash = /(^#|&)(access_token|id_token|code)=/.test(url.hash) ? "" : url.hash;
  return url.href;
}

function describeOffSite({ signInUrl, homeUrl }: Application, place: string): string {
  const site = URL.parse(homeUrl ?? signInUrl ?? "")?.host ?? "the site";
  const here = URL.parse(place)?.host ?? "";
  return `This page is at ${here === "" ? "no address" : here}. Finish signing in until you are back at ${site}, and press the button there.`;
}

type LearnedProbe = { readonly probe: Probe } | { readonly problem: string };

const NO_DIFFERENCE =
  "This page looks the same to somebody who is not signed in. Finish signing in, then open a page that only you can see, such as your account, and press the button again.";

/**
 * Learns from one page, as the person sees it and as a stranger does, by what the site can be told to know the person.
 * Where both see the same there is nothing to learn, and nothing to believe either.
 */
export function learnProbe(own: SiteView, strangers: SiteView, signInUrl: string | null): LearnedProbe {
  const probe: Probe = {
    url: own.url,
    mustSee: pickDistinctControl(own, strangers, isSignOutLabel),
    mustNotSee: pickDistinctControl(strangers, own, isSignInLabel),
  };
  if ((own.status ?? 200) >= 400) {
    return {
      problem: `The site answered ${own.status} when this page was opened again. Open another page and try again.`,
    };
  }
  const signedOut = findSignedOutReason(own, probe, signInUrl) ?? findIncompleteSignIn(own, signInUrl);
  if (signedOut !== null) return { problem: `You are not signed in yet. ${signedOut}` };
  const isLearned = isRejected(strangers, own, signInUrl) || probe.mustSee !== null || probe.mustNotSee !== null;
  return isLearned ? { probe } : { problem: NO_DIFFERENCE };
}

/**
 * Between two steps of signing in the site tells somebody from a stranger already, and knows them no better; and whoever has
 * passed its gate against robots, or closed its banner, sees another page than a stranger without being known at all.
 */
function findIncompleteSignIn(view: SiteView, signInUrl: string | null): string | null {
  if (view.hasCodeField) return "The site asks for a code.";
  if (view.controls.some(isSignOutLabel)) return null;
  if (isSignInUrl(view.url, signInUrl)) return "This page is still part of signing in.";
  const offer = view.controls.find(isSignInLabel);
  return offer === undefined ? null : `This page offers "${offer}". Finish signing in, or open your account there.`;
}

/** A control of that kind which only one of the two views has; the shortest, as it says the least besides. */
function pickDistinctControl(view: SiteView, other: SiteView, isOfKind: (control: string) => boolean): string | null {
  const found = view.controls.filter((control) => isOfKind(control) && !other.controls.includes(control));
  return found.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

/** That a stranger stands at a sign-in page says something only if the person does not. */
function isRejected(strangers: SiteView, own: SiteView, signInUrl: string | null): boolean {
  const { status, url, hasPasswordField } = strangers;
  if (status === 401 || hasPasswordField) return true;
  return looksLikeSignInUrl(url, signInUrl) && !looksLikeSignInUrl(own.url, signInUrl);
}

function looksLikeSignInUrl(url: string, signInUrl: string | null): boolean {
  return isSignInUrl(url, signInUrl) || SIGN_IN_PATH.test(URL.parse(url)?.pathname ?? "");
}

type Rule = Pick<Application, "signInUrl" | "signedInUrl" | "signedInText" | "signedOutText">;

/** The application owner's own way to tell whether the site knows somebody, or null when there is none. */
function readOwnerRule(application: Rule, url: string): Probe | null {
  const { signedInUrl, signedInText, signedOutText } = application;
  if (signedInText === null && signedOutText === null) return null;
  return { url: signedInUrl ?? url, mustSee: signedInText, mustNotSee: signedOutText };
}

/** A guess while the person is still at it: they have left the sign-in behind, or the owner's rule holds. */
export function looksSignedIn(view: SiteView, application: Rule, isOfSite: (url: string) => boolean): boolean {
  const { signInUrl, signedInText, signedOutText } = application;
  if (!isOfSite(view.url) || view.hasPasswordField) return false;
  if (signedOutText !== null && showsText(view, signedOutText)) return false;
  return signedInText === null ? findIncompleteSignIn(view, signInUrl) === null : showsText(view, signedInText);
}

/** Why the site does not know the person any more, or null when nothing says so. `view` is what stands at the probe's address. */
export function findSignedOutReason(view: SiteView, probe: Probe, signInUrl: string | null): string | null {
  if (view.status === 401) return "The site answered 401 (not signed in).";
  if (isSignInUrl(view.url, signInUrl) && !isSignInUrl(probe.url, signInUrl)) {
    return "The site sent the browser to its sign-in page.";
  }
  if (view.hasPasswordField) return "The site asks for a password.";
  const { mustSee, mustNotSee } = probe;
  const lacks = mustSee !== null && !showsText(view, mustSee);
  const showsStrangers = mustNotSee !== null && showsText(view, mustNotSee);
  // A site that writes something else on a button is no reason to trouble the person: both signs must say so.
  if (lacks && (mustNotSee === null || showsStrangers)) return `The page does not show "${mustSee}" any more.`;
  return mustSee === null && showsStrangers ? `The page shows "${mustNotSee}".` : null;
}

/** The sign-in page or a further step of it, such as a one-time code. */
export function isSignInUrl(url: string, signInUrl: string | null): boolean {
  const at = URL.parse(url);
  const signIn = signInUrl === null ? null : URL.parse(signInUrl);
  if (at === null || signIn === null || at.origin !== signIn.origin) return false;
  const path = withoutTrailingSlash(signIn.pathname);
  // A sign-in form on the front page has every other page below it.
  return path === ""
    ? withoutTrailingSlash(at.pathname) === ""
    : `${withoutTrailingSlash(at.pathname)}/`.startsWith(`${path}/`);
}

function showsText({ text, controls, title }: SiteView, wanted: string): boolean {
  const needle = normalize(wanted);
  return [text, title, ...controls].some((place) => normalize(place).includes(needle));
}

function normalize(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();
}

function withoutTrailingSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
