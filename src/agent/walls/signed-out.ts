import type { Observation } from "../../browser/observation/observation.ts";
import { hasPasswordField } from "../../browser/observation/site-view.ts";
import { textOf, walk } from "../../browser/observation/tree.ts";
import { SIGN_IN_PATH } from "../../lib/sign-in-path.ts";
import type { ActionReport } from "../actions/action-report.ts";

const SIGN_IN_PROVIDER = /(^|[/._-])(oauth2?|oidc|authorize|saml2?|idp|identity|accounts?)([/._-]|$)/i;
const SIGN_IN_WORDS =
  /\b(log|sign)(ging|ned)?[\s-]?(in|on)\b|\bpassword\b|\bsession (has )?(expired|ended|timed out)\b/i;
const SIGN_IN_LABEL = /^\s*(please )?(log|sign)[\s-]?(in|on)\b/i;

/**
 * Why the site no longer takes us for the user, or null. A link to a sign-in page in a corner is no such sign; a form
 * that asks for a password where another page was expected is, and so is the answer 401.
 */
export function findSignedOutSign(observation: Observation, reports: readonly ActionReport[]): string | null {
  const asksForPassword = hasPasswordField(observation.root);
  const refused = reports.flatMap(({ events }) => events.requests).findLast(({ status }) => status === 401);
  if (refused !== undefined && (refused.isNavigation || asksForPassword)) {
    return `The site answered 401 (not signed in) to ${refused.method} ${new URL(refused.url).pathname}.`;
  }
  if (!asksForPassword || reports.some(asksToSignIn)) return null;
  const path = URL.parse(observation.url)?.pathname ?? "";
  const cameFrom = reports.at(-1)?.urlBefore ?? "";
  const isSentThere = !reports.some(
    ({ call }) => call.action === "goto" && leadsTo(call.input["url"], observation.url),
  );
  if (isSentThere && cameFrom !== observation.url && SIGN_IN_PATH.test(path)) {
    return `The site sent the browser to its sign-in page (${path}).`;
  }
  return isSentThere && isNothingButSignIn(observation) ? "The site shows a sign-in form in place of the page." : null;
}

/** For a run that cannot go on: is it because this page wants a sign-in first? */
export function isSignInPage(observation: Observation): boolean {
  const path = URL.parse(observation.url)?.pathname ?? "";
  return hasPasswordField(observation.root) && (SIGN_IN_PATH.test(path) || isNothingButSignIn(observation));
}

/** Whether an address that we may not open is one where people sign in, such as an identity provider's. */
export function isSignInAddress(url: string): boolean {
  const { hostname = "", pathname = "" } = URL.parse(url) ?? {};
  return [hostname, pathname].some((part) => SIGN_IN_PATH.test(part) || SIGN_IN_PROVIDER.test(part));
}

function isNothingButSignIn({ root, title }: Observation): boolean {
  const headings = [...walk(root)].filter(({ node }) => node.role === "heading").map(({ node }) => textOf(node));
  return [title, ...headings].some((text) => SIGN_IN_WORDS.test(text));
}

/** A task that says "click Sign in" means it. */
function asksToSignIn({ call }: ActionReport): boolean {
  return typeof call.input["label"] === "string" && SIGN_IN_LABEL.test(call.input["label"]);
}

function leadsTo(asked: unknown, url: string): boolean {
  const wanted = typeof asked === "string" ? URL.parse(asked) : null;
  const shown = URL.parse(url);
  return wanted !== null && shown !== null && wanted.origin === shown.origin && wanted.pathname === shown.pathname;
}
