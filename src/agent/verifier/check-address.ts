import type { BrowserSession } from "../../browser/session/browser-session.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import { isSamePage } from "../captured-pages.ts";
import type { Check } from "../errand.ts";
import { redactUrl } from "../redact-url.ts";

/** The run ended on a web page of the hosts it may visit. */
export function checkFinalAddress(url: string, session: BrowserSession): Check {
  const about = "The run ended on a page it may visit";
  return session.allows(url)
    ? { about, verdict: "satisfied", evidence: redactUrl(url) }
    : { about, verdict: "contradicted", evidence: `${url.slice(0, 100)} is not such a page.` };
}

/** The last page is one that the site has, and not its notice that there is none. */
export function checkFinalStatus(url: string, requests: readonly NetworkRecord[]): Check {
  const about = "The site has the page that the run ended on";
  const document = requests.findLast((request) => request.isNavigation && isSamePage(request.url, url));
  const status = document?.status ?? null;
  return status !== null && status >= 400
    ? { about, verdict: "contradicted", evidence: `It answered ${status} to ${redactUrl(url)}.` }
    : { about, verdict: "satisfied", evidence: `It answered ${status ?? "before"} to ${redactUrl(url)}.` };
}
