import type { Application } from "../../applications/application.ts";
import type { Probe } from "../vault/saved-sign-in.ts";
import { findUnfinished } from "./learn-probe.ts";
import { shows } from "./probe.ts";
import type { SiteView } from "./site-view.ts";

type Rule = Pick<Application, "signInUrl" | "signedInUrl" | "signedInText" | "signedOutText">;

/** The application owner's own way to tell whether the site knows somebody, or null when there is none. */
export function ruleOf(application: Rule, url: string): Probe | null {
  const { signedInUrl, signedInText, signedOutText } = application;
  if (signedInText === null && signedOutText === null) return null;
  return { url: signedInUrl ?? url, mustSee: signedInText, mustNotSee: signedOutText };
}

/** A guess while the person is still at it: they have left the sign-in behind, or the owner's rule holds. */
export function looksSignedIn(view: SiteView, application: Rule, isOfSite: (url: string) => boolean): boolean {
  const { signInUrl, signedInText, signedOutText } = application;
  if (!isOfSite(view.url) || view.hasPasswordField) return false;
  if (signedOutText !== null && shows(view, signedOutText)) return false;
  return signedInText === null ? findUnfinished(view, signInUrl) === null : shows(view, signedInText);
}
