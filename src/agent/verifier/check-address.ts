import type { BrowserSession } from "../../browser/session/browser-session.ts";
import type { Check } from "../errand.ts";
import { redactUrl } from "../redact-url.ts";

/** The run ended on a web page of the hosts it may visit. */
export function checkFinalAddress(url: string, session: BrowserSession): Check {
  const about = "The run ended on a page it may visit";
  return session.allows(url)
    ? { about, verdict: "satisfied", evidence: redactUrl(url) }
    : { about, verdict: "contradicted", evidence: `${url.slice(0, 100)} is not such a page.` };
}
