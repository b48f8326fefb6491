import { type Observation, type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";
import { hasPasswordField } from "../../browser/observation/site-view.ts";
import { isWrite, type NetworkRecord } from "../../browser/session/network-record.ts";
import { SIGN_IN_PATH } from "../../connections/sign-in/sign-in-words.ts";
import type { ActionReport, UnansweredRequest } from "../actions/action.ts";
import { isSameDocument } from "../grounding/captured-pages.ts";
import type { Plan } from "../planner/planner.ts";
import { redactUrl } from "../safe-text.ts";
import { type Ending, endWith } from "./ending.ts";

/** Why the run must end on this page, whatever the planner wants to do next; null when it may continue. */
export function findObstacle(observation: Observation, reports: readonly ActionReport[], plan: Plan): Ending | null {
  const refusedHost = findRefusedPage(observation, reports);
  if (refusedHost !== null) {
    return endWith("policy_violation", `The site led to ${refusedHost}, which this application may not visit.`);
  }
  const submission = reports
    .flatMap(({ events }) => events.requests)
    .find(({ blockedBy, isNavigation }) => blockedBy === "read_only" && isNavigation);
  if (submission !== undefined) {
    const what = `${submission.method} ${redactUrl(submission.url)}`;
    return endWith(
      "policy_violation",
      `The application has read-only access, and this step would have sent ${what}.`,
      "READ_ONLY",
    );
  }
  const signedOut = plan.signsIn ? null : findSignedOutReason(observation, reports);
  if (signedOut !== null) return endWith("reauthorization_required", signedOut);
  const wall = findBotWall(observation, reports);
  return wall === null ? null : endWith("blocked", wall);
}

/** The ending when a planner gives up: often something it cannot see is the cause. */
export function explainGivingUp(
  given: Ending,
  observation: Observation,
  reports: readonly ActionReport[],
  plan: Plan,
  requests: readonly NetworkRecord[],
  unanswered: UnansweredRequest | null,
): Ending {
  const ending = endWith(given.failure, given.reason, given.code);
  if (ending.failure !== "goal_unreachable") return ending;
  const refusal = reports.at(-1)?.failure;
  if (refusal?.kind === "policy") return endWith("policy_violation", refusal.message);
  const blocked = reports.flatMap(({ events }) => events.requests).find(({ blockedBy }) => blockedBy === "read_only");
  if (blocked !== undefined) {
    const what = `${blocked.method} ${redactUrl(blocked.url)}`;
    return endWith(
      "policy_violation",
      `The application has read-only access: ${what} was blocked. ${ending.reason}`,
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
    return endWith("site_error", `The site responded with ${failed.status} to ${what}. ${ending.reason}`);
  }
  const fault = findPageFault(observation, requests) ?? findSilence(unanswered, requests);
  return fault === null ? ending : endWith("site_error", `${fault} ${ending.reason}`);
}

/** A response that did not come is why the page shows nothing new, and not the words of the task. */
function findSilence(unanswered: UnansweredRequest | null, requests: readonly NetworkRecord[]): string | null {
  if (unanswered === null) return null;
  const { method, url, waitedMs } = unanswered;
  const latest = requests.findLast((request) => request.method === method && request.url === url);
  if (latest !== undefined && latest.status !== null) return null;
  return `The site did not respond to ${method} ${redactUrl(url)} within ${Math.round(waitedMs / 1_000)} seconds.`;
}

/** Why the page the run is on is not what it asked for: it failed to load. Responses to forms are checked as changes. */
export function findPageFault({ url }: Observation, requests: readonly NetworkRecord[]): string | null {
  const documents = requests.filter(({ isNavigation }) => isNavigation);
  if (url.startsWith("chrome-error:")) {
    const lost = documents.findLast(({ failure }) => failure !== null);
    return lost === undefined
      ? "A page could not be opened."
      : `${redactUrl(lost.url)} could not be opened: ${lost.failure}.`;
  }
  const document = documents.findLast((request) => isSameDocument(request.url, url) && !isAborted(request));
  if (document === undefined || isWrite(document)) return null;
  const { status, failure } = document;
  if (status === null) return failure === null ? null : `${redactUrl(url)} could not be opened: ${failure}.`;
  return status < 500 ? null : `The site responded with ${status} to ${redactUrl(url)}.`;
}

/** The browser went elsewhere in the meantime, and the page stayed as it was. */
function isAborted({ failure }: NetworkRecord): boolean {
  return failure?.includes("ERR_ABORTED") === true;
}

export function lastDocumentStatus(reports: readonly ActionReport[]): number | null {
  const documents = reports.flatMap(({ events }) => events.requests).filter(({ isNavigation }) => isNavigation);
  return documents.at(-1)?.status ?? null;
}

/** Over http the page is the proxy's refusal; over https it is the browser's own error page. */
function findRefusedPage({ url }: Observation, reports: readonly ActionReport[]): string | null {
  const refused = reports.flatMap(({ events }) => events.refusedHosts);
  if (url.startsWith("chrome-error:")) return refused.at(-1) ?? null;
  const { hostname, port, protocol } = URL.parse(url) ?? {};
  const host = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  return refused.includes(host) ? host : null;
}

const CHALLENGE =
  /verify(ing)? (that )?you are (a )?human|are you a (robot|human)|(i'm|i am) not a robot|checking your browser|unusual traffic|(complete|solve|enter) the (security check|captcha)|prove (that )?you are (a )?human|press (&|and) hold|human verification/i;
/** Many pages mention captchas. A wall is named after one, or is sent with a status that refuses. */
const CAPTCHA = /\bcaptcha\b/i;
const CAPTCHA_FRAME = /captcha|turnstile|challenge/i;
const REFUSING_STATUS: ReadonlySet<number> = new Set([403, 429, 503]);
/** A bot wall contains little else; an article about captchas is longer. */
const WALL_MAX_CHARACTERS = 1_500;

/** Why a page is a bot wall, or null. Errand does not work around one: the run ends and says so. */
export function findBotWall(observation: Observation, reports: readonly ActionReport[]): string | null {
  const { title, root } = observation;
  const text = `${title} ${textOf(root)}`;
  const ownText = `${title} ${textOutsideLinks(root)}`;
  const headings = [...walk(root)]
    .filter(({ node }) => node.role === "heading")
    .map(({ node }) => textOutsideLinks(node));
  const status = reports.flatMap(({ events }) => events.requests).findLast(({ isNavigation }) => isNavigation)?.status;
  const isRefused = REFUSING_STATUS.has(status ?? 0);
  const [challenge] =
    CHALLENGE.exec(ownText) ?? CAPTCHA.exec(isRefused ? ownText : [title, ...headings].join(" ")) ?? [];
  if (challenge !== undefined && isRefused) {
    return `The site responded with ${status} and asks visitors to prove that they are human: "${challenge}".`;
  }
  if (text.length > WALL_MAX_CHARACTERS || hasOwnForm(root)) return null;
  if (challenge !== undefined) return `The site asks visitors to prove that they are human: "${challenge}".`;
  return hasCaptcha(observation) ? "The site shows a captcha instead of the page." : null;
}

/** A link leads to another page: what it says is not asked here. */
function textOutsideLinks(node: ObservedNode): string {
  if (node.role === "link") return "";
  return node.children.length === 0 ? node.name : node.children.map(textOutsideLinks).filter(Boolean).join(" ");
}

/** Whether a captcha is anywhere on the page: not a wall by itself, but a reason why a form is not accepted. */
function hasCaptcha({ root }: Observation): boolean {
  return walk(root).some(({ node }) => isCaptchaFrame(node));
}

/** A form that contains a captcha can still be filled in. */
function hasOwnForm(root: ObservedNode): boolean {
  return walk(root).some(({ node, ancestors }) => node.role === "textbox" && !ancestors.some(isCaptchaFrame));
}

function isCaptchaFrame({ role, name }: ObservedNode): boolean {
  return role === "iframe" && CAPTCHA_FRAME.test(name);
}

const SIGN_IN_PROVIDER = /(^|[/._-])(oauth2?|oidc|authorize|saml2?|idp|identity|accounts?)([/._-]|$)/i;
const SIGN_IN_WORDS =
  /\b(log|sign)(ging|ned)?[\s-]?(in|on)\b|\bpassword\b|\bsession (has )?(expired|ended|timed out)\b/i;
const SIGN_IN_LABEL = /^\s*(please )?(log|sign)[\s-]?(in|on)\b/i;

/**
 * Why the site no longer treats the session as signed in, or null. A link to a sign-in page does not count. A password
 * form where another page was expected does, and so does status 401.
 */
export function findSignedOutReason(observation: Observation, reports: readonly ActionReport[]): string | null {
  const asksForPassword = hasPasswordField(observation.root);
  const refused = reports.flatMap(({ events }) => events.requests).findLast(({ status }) => status === 401);
  if (refused !== undefined && (refused.isNavigation || asksForPassword)) {
    return `The site responded with 401 (not signed in) to ${refused.method} ${new URL(refused.url).pathname}.`;
  }
  if (!asksForPassword || reports.some(isSignInStep)) return null;
  const path = URL.parse(observation.url)?.pathname ?? "";
  const cameFrom = reports.at(-1)?.urlBefore ?? "";
  const isSentThere = !reports.some(
    ({ call }) => call.action === "goto" && leadsTo(call.input["url"], observation.url),
  );
  if (isSentThere && cameFrom !== observation.url && SIGN_IN_PATH.test(path)) {
    return `The site sent the browser to its sign-in page (${path}).`;
  }
  return isSentThere && isSignInOnly(observation) ? "The site shows a sign-in form instead of the page." : null;
}

/** Whether the page asks to sign in first. Its first page may ask for the user name only. */
function isSignInPage(observation: Observation): boolean {
  const isNamed = SIGN_IN_PATH.test(URL.parse(observation.url)?.pathname ?? "");
  return hasPasswordField(observation.root)
    ? isNamed || isSignInOnly(observation)
    : isNamed && isSignInOnly(observation);
}

/** Whether a URL looks like one where people sign in, such as an identity provider's. */
export function isSignInUrl(url: string): boolean {
  const { hostname = "", pathname = "" } = URL.parse(url) ?? {};
  return [hostname, pathname].some((part) => SIGN_IN_PATH.test(part) || SIGN_IN_PROVIDER.test(part));
}

function isSignInOnly({ root, title }: Observation): boolean {
  const headings = [...walk(root)].filter(({ node }) => node.role === "heading").map(({ node }) => textOf(node));
  return [title, ...headings].some((text) => SIGN_IN_WORDS.test(text));
}

/** A task that says "click Sign in" asks for the sign-in page. */
function isSignInStep({ call }: ActionReport): boolean {
  return typeof call.input["label"] === "string" && SIGN_IN_LABEL.test(call.input["label"]);
}

function leadsTo(asked: unknown, url: string): boolean {
  const wanted = typeof asked === "string" ? URL.parse(asked) : null;
  const shown = URL.parse(url);
  return wanted !== null && shown !== null && wanted.origin === shown.origin && wanted.pathname === shown.pathname;
}
