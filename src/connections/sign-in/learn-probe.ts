import { SIGN_IN_PATH } from "../../lib/sign-in-path.ts";
import type { Probe } from "../vault/saved-sign-in.ts";
import { findSignedOut, isAtSignIn } from "./probe.ts";
import { namesSignIn, namesSignOut } from "./sign-in-words.ts";
import type { SiteView } from "./site-view.ts";

export type Lesson = { readonly probe: Probe } | { readonly problem: string };

const NO_DIFFERENCE =
  "This page looks the same to somebody who is not signed in. Finish signing in, then open a page that only you can see, such as your account, and press the button again.";

/**
 * Learns from one page, as the person sees it and as a stranger does, by what the site can be told to know the person.
 * Where both see the same there is nothing to learn, and nothing to believe either.
 */
export function learnProbe(own: SiteView, strangers: SiteView, signInUrl: string | null): Lesson {
  const probe: Probe = {
    url: own.url,
    mustSee: pick(own, strangers, namesSignOut),
    mustNotSee: pick(strangers, own, namesSignIn),
  };
  if ((own.status ?? 200) >= 400) {
    return {
      problem: `The site answered ${own.status} when this page was opened again. Open another page and try again.`,
    };
  }
  const signedOut = findSignedOut(own, probe, signInUrl) ?? findUnfinished(own, signInUrl);
  if (signedOut !== null) return { problem: `You are not signed in yet. ${signedOut}` };
  const isLearned = isTurnedAway(strangers, own, signInUrl) || probe.mustSee !== null || probe.mustNotSee !== null;
  return isLearned ? { probe } : { problem: NO_DIFFERENCE };
}

/**
 * Between two steps of signing in the site tells somebody from a stranger already, and knows them no better; and whoever has
 * passed its gate against robots, or closed its banner, sees another page than a stranger without being known at all.
 */
export function findUnfinished(view: SiteView, signInUrl: string | null): string | null {
  if (view.hasCodeField) return "The site asks for a code.";
  if (view.controls.some(namesSignOut)) return null;
  if (isAtSignIn(view.url, signInUrl)) return "This page is still part of signing in.";
  const offer = view.controls.find(namesSignIn);
  return offer === undefined ? null : `This page offers "${offer}". Finish signing in, or open your account there.`;
}

/** A control of that kind which only one of the two views has; the shortest, as it says the least besides. */
function pick(view: SiteView, other: SiteView, isOfKind: (control: string) => boolean): string | null {
  const found = view.controls.filter((control) => isOfKind(control) && !other.controls.includes(control));
  return found.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

/** That a stranger stands at a sign-in page says something only if the person does not. */
function isTurnedAway(strangers: SiteView, own: SiteView, signInUrl: string | null): boolean {
  const { status, url, hasPasswordField } = strangers;
  if (status === 401 || hasPasswordField) return true;
  return isSignInPlace(url, signInUrl) && !isSignInPlace(own.url, signInUrl);
}

function isSignInPlace(url: string, signInUrl: string | null): boolean {
  return isAtSignIn(url, signInUrl) || SIGN_IN_PATH.test(URL.parse(url)?.pathname ?? "");
}
