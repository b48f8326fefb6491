import type { Observation } from "../../browser/observation/observation.ts";
import { isWrite, type NetworkRecord, READ_ONLY_FAILURE } from "../../browser/session/network-record.ts";
import type { ActionReport } from "../actions/action-report.ts";
import { isSamePage } from "../captured-pages.ts";
import { type Ending, endWith } from "../ending.ts";
import type { Plan } from "../planner/planner.ts";
import { redactUrl } from "../redact-url.ts";
import { findBotWall, hasCaptcha } from "./bot-wall.ts";
import { findSignedOutSign, isSignInPage } from "./signed-out.ts";

/** Why the run has to end here, whatever the planner would like to do next; null when it may go on. */
export function findTrouble(observation: Observation, reports: readonly ActionReport[], plan: Plan): Ending | null {
  const refusedHost = findRefusedPage(observation, reports);
  if (refusedHost !== null) {
    return endWith("policy_violation", `The run was led to ${refusedHost}, which this application may not visit.`);
  }
  const submission = reports
    .flatMap(({ events }) => events.requests)
    .find(({ failure, isNavigation }) => failure === READ_ONLY_FAILURE && isNavigation);
  if (submission !== undefined) {
    const what = `${submission.method} ${redactUrl(submission.url)}`;
    return endWith(
      "policy_violation",
      `The application may only read, and this step would have sent ${what}.`,
      "READ_ONLY",
    );
  }
  const signedOut = plan.signsIn ? null : findSignedOutSign(observation, reports);
  if (signedOut !== null) return endWith("reauthorization_required", signedOut);
  const wall = findBotWall(observation, reports);
  return wall === null ? null : endWith("blocked", wall);
}

/** A planner that gives up may have run into something that it cannot know of. */
export function explainGivingUp(
  ending: Ending,
  observation: Observation,
  reports: readonly ActionReport[],
  plan: Plan,
  requests: readonly NetworkRecord[],
): Ending {
  if (ending.failure !== "goal_unreachable") return ending;
  const refusal = reports.at(-1)?.failure;
  if (refusal?.kind === "policy") return endWith("policy_violation", refusal.message);
  const heldBack = reports
    .flatMap(({ events }) => events.requests)
    .find(({ failure }) => failure === READ_ONLY_FAILURE);
  if (heldBack !== undefined) {
    const what = `${heldBack.method} ${redactUrl(heldBack.url)}`;
    return endWith(
      "policy_violation",
      `The application may only read: ${what} was held back. ${ending.reason}`,
      "READ_ONLY",
    );
  }
  if (!plan.signsIn && isSignInPage(observation)) {
    return endWith("reauthorization_required", `The site asks to sign in first. ${ending.reason}`);
  }
  if (hasCaptcha(observation)) return endWith("blocked", `The page has a captcha. ${ending.reason}`);
  const failed = requests.findLast(
    (request) => isWrite(request) && request.isFirstParty && (request.status ?? 0) >= 500,
  );
  if (failed !== undefined) {
    const what = `${failed.method} ${redactUrl(failed.url)}`;
    return endWith("site_error", `The site answered ${failed.status} to ${what}. ${ending.reason}`);
  }
  const fault = findPageFault(observation, requests);
  return fault === null ? ending : endWith("site_error", `${fault} ${ending.reason}`);
}

/** What the site did instead of showing the page that the run is at. What answers a form is judged as a change. */
export function findPageFault({ url }: Observation, requests: readonly NetworkRecord[]): string | null {
  const documents = requests.filter(({ isNavigation }) => isNavigation);
  if (url.startsWith("chrome-error:")) {
    const lost = documents.findLast(({ failure }) => failure !== null);
    return lost === undefined
      ? "A page could not be opened."
      : `${redactUrl(lost.url)} could not be opened: ${lost.failure}.`;
  }
  const document = documents.findLast((request) => isSamePage(request.url, url) && !isBrokenOff(request));
  if (document === undefined || isWrite(document)) return null;
  const { status, failure } = document;
  if (status === null) return failure === null ? null : `${redactUrl(url)} could not be opened: ${failure}.`;
  return status < 500 ? null : `The site answered ${status} to ${redactUrl(url)}.`;
}

/** The browser itself went elsewhere meanwhile, and the page stayed as it was. */
function isBrokenOff({ failure }: NetworkRecord): boolean {
  return failure?.includes("ERR_ABORTED") === true;
}

export function lastDocumentStatus(reports: readonly ActionReport[]): number | null {
  const documents = reports.flatMap(({ events }) => events.requests).filter(({ isNavigation }) => isNavigation);
  return documents.at(-1)?.status ?? null;
}

/** Over http the proxy's refusal is the page; over https the browser shows an error of its own. */
function findRefusedPage({ url }: Observation, reports: readonly ActionReport[]): string | null {
  const refused = reports.flatMap(({ events }) => events.refusedHosts);
  if (url.startsWith("chrome-error:")) return refused.at(-1) ?? null;
  const { hostname, port, protocol } = URL.parse(url) ?? {};
  const host = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  return refused.includes(host) ? host : null;
}
