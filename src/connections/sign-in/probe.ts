import type { Probe } from "../vault/saved-sign-in.ts";
import type { SiteView } from "./site-view.ts";

/** Why the site does not know the person any more, or null when nothing says so. `view` is what stands at the probe's address. */
export function findSignedOut(view: SiteView, probe: Probe, signInUrl: string | null): string | null {
  if (view.status === 401) return "The site answered 401 (not signed in).";
  if (isAtSignIn(view.url, signInUrl) && !isAtSignIn(probe.url, signInUrl)) {
    return "The site sent the browser to its sign-in page.";
  }
  if (view.hasPasswordField) return "The site asks for a password.";
  const { mustSee, mustNotSee } = probe;
  const lacks = mustSee !== null && !shows(view, mustSee);
  const showsStrangers = mustNotSee !== null && shows(view, mustNotSee);
  // A site that writes something else on a button is no reason to trouble the person: both signs must say so.
  if (lacks && (mustNotSee === null || showsStrangers)) return `The page does not show "${mustSee}" any more.`;
  return mustSee === null && showsStrangers ? `The page shows "${mustNotSee}".` : null;
}

/** The sign-in page or a further step of it, such as a one-time code. */
export function isAtSignIn(url: string, signInUrl: string | null): boolean {
  const at = URL.parse(url);
  const signIn = signInUrl === null ? null : URL.parse(signInUrl);
  if (at === null || signIn === null || at.origin !== signIn.origin) return false;
  const path = withoutSlash(signIn.pathname);
  // A sign-in form on the front page has every other page below it.
  return path === "" ? withoutSlash(at.pathname) === "" : `${withoutSlash(at.pathname)}/`.startsWith(`${path}/`);
}

export function shows({ text, controls, title }: SiteView, wanted: string): boolean {
  const needle = normalize(wanted);
  return [text, title, ...controls].some((place) => normalize(place).includes(needle));
}

function normalize(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}
