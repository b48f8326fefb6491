import type { Application } from "../../applications/application.ts";
import { hostsOf, isWithin } from "../../lib/site-hosts.ts";
import type { SavedSignIn } from "../vault/saved-sign-in.ts";
import { findUnfinished, learnProbe } from "./learn-probe.ts";
import type { LiveBrowser } from "./live-browser.ts";
import { findSignedOut } from "./probe.ts";
import { ruleOf } from "./signed-in-rule.ts";

/** Whether an address belongs to the site that the application's owner has named. */
export function isOfSite({ allowedHosts, homeUrl, signInUrl }: Application, url: string): boolean {
  return isWithin([...allowedHosts, ...hostsOf([homeUrl, signInUrl])], url);
}

/**
 * Opens the page anew, holds it against the owner's rule or against what a stranger sees, and only then captures what the
 * site knows the person by. A problem is said in words for the person.
 */
export async function checkSignIn(
  browser: LiveBrowser,
  application: Application,
  signal: AbortSignal,
): Promise<SavedSignIn | { problem: string }> {
  const { signInUrl } = application;
  const { url } = await browser.look(signal);
  const place = application.signedInUrl ?? withoutOneTimeParts(url);
  if (!isOfSite(application, place)) return { problem: describeElsewhere(application, place) };
  const own = await browser.revisit(place, signal);
  if (!isOfSite(application, own.url)) return { problem: describeElsewhere(application, own.url) };
  const rule = ruleOf(application, own.url);
  if (rule !== null) {
    const signedOut =
      findSignedOut(own, rule, signInUrl) ?? (rule.mustSee === null ? findUnfinished(own, signInUrl) : null);
    if (signedOut !== null) return { problem: `You are not signed in yet. ${signedOut}` };
    return { probe: rule, state: await browser.capture() };
  }
  const lesson = learnProbe(own, await browser.visitAsStranger(own.url, signal), signInUrl);
  return "problem" in lesson ? lesson : { probe: lesson.probe, state: await browser.capture() };
}

const ONE_TIME_PART =
  /^(code|state|ticket|token|nonce|session_state|id_token|access_token|otp|samlresponse|relaystate|iss)$/i;

/** What an identity provider hands over in an address can be used once, and says nothing about where the person is. */
function withoutOneTimeParts(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  for (const name of [...url.searchParams.keys()]) {
    if (ONE_TIME_PART.test(name)) url.searchParams.delete(name);
  }
  url.hash = /(^#|&)(access_token|id_token|code)=/.test(url.hash) ? "" : url.hash;
  return url.href;
}

function describeElsewhere({ signInUrl, homeUrl }: Application, place: string): string {
  const site = URL.parse(homeUrl ?? signInUrl ?? "")?.host ?? "the site";
  const here = URL.parse(place)?.host ?? "";
  return `This page is at ${here === "" ? "no address" : here}. Finish signing in until you are back at ${site}, and press the button there.`;
}
