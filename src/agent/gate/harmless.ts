import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { HeldRequest } from "../../browser/session/write-interceptor.ts";
import { TELEMETRY } from "../grounding/telemetry.ts";
import type { Operation } from "./operation.ts";

/** What the gate knows about the moment in which a request leaves. */
export interface Moment {
  /** Of the element that was acted on; empty without one. */
  readonly label: string;
  readonly action: string;
  /** What the run has typed or chosen on the page. */
  readonly entered: readonly string[];
  /** Of those, what was typed into a search box. */
  readonly searched: readonly string[];
  /** Whether the page has a field for a password or a code. */
  readonly hasSecretField: boolean;
  /** Whether the page calls itself one to sign in. */
  readonly isSignInPage: boolean;
  /** The text of the dialog or banner around the element; empty without one. */
  readonly around: string;
  /** The page that was acted on. */
  readonly url: string;
  /** Whether the action was agreed to as something that lasts. */
  readonly isAgreed: boolean;
}

const LOOKUP = words("search searches msearch suggest suggestions autocomplete typeahead lookup facets validate");
/** Not enough for what was agreed to: they may also name what is saved. */
const LOOKUP_OR_THING = words("filter estimate availability");
/** Enough only for a beacon, whose response no page reads. */
const BEACON = words("event events log logs report reports error errors");
const SIGN_IN = words("login signin signon logon authenticate sso saml csrf mfa");
/** Enough only where the page has a field for a password, or without any content. */
const SESSION = words("session sessions auth token tokens refresh otp authorize");
/** Enough only without any content: they ask how something is. */
const STATE = words("status health exists state");
/** Fields that identity providers send through the browser. */
const SIGN_IN_FIELDS =
  /^(?:SAML(?:Request|Response)|RelayState|id_token|wresult|code_verifier|grant_type|refresh_?token)$/i;
const PASSWORD_FIELD = /^(?:\w*[._-])?(?:pass|password|passwd|passphrase|passcode|pwd|otp|one_?time_?code)\d?$/i;
const CONSENT = words("consent cookie gdpr ccpa tcf agegate");
const CONSENT_LABEL = /\bcookies?\b|\b(?:over|older than|at least) (?:1[68]|2[01])\b|\bI am (?:1[68]|2[01])\b/i;
/** "check" alone is also what the icon of a save button is called, and "check in" and "check off" change something. */
const SEARCH_LABEL =
  /\b(?:search|find|filter|calculate|compute|translate|estimate|look ?up|check (?:the |for )?(?:availability|price|rate|status|stock|date|delivery|spelling|eligibility)s?)\b/i;
/** They may also save something, as "Preview" saves a draft: enough only if nothing is sent but what was entered. */
const WEAK_SEARCH_LABEL = /\b(?:sort|show|convert|compare|preview)\b|^\s*go\s*$/i;
const SAVING_LABEL = /\b(?:save|add|create|update|delete|remove|post|send)\b/i;
const REPLACING: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** Whether the method is one that changes something that is there. Sites read by POST, but not by these. */
export function isReplacing({ method }: { readonly method: string }): boolean {
  return REPLACING.has(method.toUpperCase());
}

/** Why a request with an unsafe method changes nothing that lasts; null when that is not clear. */
export function explainHarmless(request: HeldRequest, operation: Operation, moment: Moment): string | null {
  if (operation.isNamedAsRead) return "it only reads";
  if (operation.act !== null) return null;
  if (operation.isSocketMessage) return "it stands for a WebSocket message";
  if (has(operation, TELEMETRY)) return "it reports how the page is used";
  if (has(operation, STATE) && operation.values.length === 0) return "it only reads";
  if (request.resourceType === "ping" && has(operation, BEACON)) return "it reports how the page is used";
  if (isSignIn(operation, moment)) return "it signs in";
  if (isConsent(operation, moment) || namesUser(operation, moment)) return LOOKS_UP;
  return !isReplacing(request) && looksUp(request, operation, moment) ? LOOKS_UP : null;
}

function looksUp(request: HeldRequest, operation: Operation, moment: Moment): boolean {
  if (has(operation, LOOKUP)) return true;
  // What an action was agreed to for is what it sends, whatever its label says.
  return !moment.isAgreed && (isSearch(operation, moment) || isTurningPage(request, moment));
}

/** Why a request is harmless that leaves nothing behind: a search, a page of a list, a consent banner. */
export const LOOKS_UP = "it looks something up";

/** Labels that refuse what a dialog or banner offers. A bare "No" may answer anything. */
const DECLINES = /^(?:no,? (?:thanks|thank you|do not|don.t)|not now|maybe later|skip|dismiss|decline|reject)\b/i;

function isConsent(operation: Operation, { label, around, isAgreed }: Moment): boolean {
  if (has(operation, CONSENT) || CONSENT_LABEL.test(label)) return true;
  if (isAgreed) return false;
  if (around !== "" && DECLINES.test(label.trim())) return true;
  return (
    /\bcookies?\b/i.test(around) && /\b(?:accept|agree|allow|reject|decline|refuse|ok|got it|close|save)\b/i.test(label)
  );
}

const TURNS_PAGE =
  /^(?:(?:go to |show )?(?:the )?(?:next|previous|first|last|page)\b|\d{1,4}$|[‹›«»<>]|(?:load|show) more\b)/i;

/** Frameworks that post the page back to its own URL to show the next part of a list. */
function isTurningPage({ url }: HeldRequest, { label, url: page }: Moment): boolean {
  return TURNS_PAGE.test(label.trim()) && url.split(/[?#]/)[0] === page.split(/[?#]/)[0];
}

function has({ words: own }: Operation, any: readonly string[]): boolean {
  return any.some((word) => own.has(word));
}

/** The first of two pages of a sign-in asks for the name only. */
function namesUser({ values }: Operation, { isSignInPage, entered }: Moment): boolean {
  return isSignInPage && values.some(({ value }) => entered.includes(value));
}

function isSignIn(operation: Operation, { hasSecretField }: Moment): boolean {
  if (operation.values.some(({ name }) => SIGN_IN_FIELDS.test(name))) return true;
  const carriesPassword = operation.values.some(({ name }) => PASSWORD_FIELD.test(name));
  const isOfSession = has(operation, SESSION) && (hasSecretField || operation.values.length === 0);
  return has(operation, SIGN_IN) || isOfSession || (hasSecretField && carriesPassword);
}

/** Something was typed to look for it, and the request carries just that. */
function isSearch(operation: Operation, { label, action, entered, searched }: Moment): boolean {
  if (has(operation, LOOKUP_OR_THING)) return true;
  if (SAVING_LABEL.test(label)) return false;
  const carried = new Set(operation.values.map(({ value }) => foldVisible(value)));
  const carries = (texts: readonly string[]) => texts.some((text) => carried.has(foldVisible(text)));
  if (carries(searched)) return true;
  if ((action !== "click" && action !== "press" && action !== "fill") || !carries(entered)) return false;
  const folded = new Set(entered.map(foldVisible));
  const isOnlyEntered = [...carried].every((value) => value === "" || folded.has(value));
  return SEARCH_LABEL.test(label) || (WEAK_SEARCH_LABEL.test(label) && isOnlyEntered);
}
