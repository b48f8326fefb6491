import type { BrowserState } from "../state/browser-state.ts";
import { findTokens, holdsNewToken } from "./shared-sign-in.ts";

interface EarlierStorage {
  readonly state: BrowserState;
  /** It holds a token that is no longer the one of the sign-in. */
  readonly hasOldToken: boolean;
}

/**
 * A state with the storage of an earlier one, but the sign-in of now: a token that was replaced since is used up, and a site may end the
 * sign-in when it is used again.
 */
export function withEarlierStorage(now: BrowserState, earlier: BrowserState | undefined): EarlierStorage {
  let hasOldToken = false;
  const keep = (name: string, was: string, is: string | undefined): string => {
    if (is !== undefined && isRenewedSignIn(name, was, is)) return is;
    hasOldToken ||= isSignIn(name, was) && findTokens(was).some((token) => !(is ?? "").includes(token));
    return was;
  };
  const origins = (earlier?.storage.origins ?? []).map((each) => {
    const known = now.storage.origins.find(({ origin }) => origin === each.origin)?.localStorage ?? [];
    const read = (key: string) => known.find(({ name }) => name === key)?.value;
    const localStorage = each.localStorage.map(({ name, value }) => ({
      name,
      value: keep(name, value, read(name)),
    }));
    return { ...each, localStorage };
  });
  const sessionStorage = (earlier?.sessionStorage ?? []).map(({ origin, entries }) => {
    const known = new Map(now.sessionStorage.find((each) => each.origin === origin)?.entries ?? []);
    return { origin, entries: entries.map(([key, value]) => [key, keep(key, value, known.get(key))] as const) };
  });
  return { state: { storage: { ...now.storage, origins }, sessionStorage }, hasOldToken };
}

const SIGN_IN = /token|auth|session|jwt|bearer|credential/i;

/** By the key, or by the names in the value. */
function isSignIn(name: string, value: string): boolean {
  return SIGN_IN.test(name + findTokens(value).reduce((rest, token) => rest.replaceAll(token, ""), value));
}

/** Of encrypted data, a change is a new token as well, but seldom one of the same length. */
const MAX_LONGER = 0.1;

/** Whether nothing but tokens and times were replaced in an entry that is named as a sign-in. */
function isRenewedSignIn(name: string, before: string, now: string): boolean {
  if (!isSignIn(name, before) || !holdsNewToken(before, now) || toShape(before) !== toShape(now)) return false;
  const [was, is] = [findTokens(before), findTokens(now)];
  return was.every((token, index) => {
    const length = is[index]?.length ?? 0;
    return Math.abs(length - token.length) <= Math.max(token.length, length) * MAX_LONGER;
  });
}

/** The text without its tokens and numbers. */
function toShape(text: string): string {
  return findTokens(text)
    .reduce((rest, token) => rest.replace(token, "\0"), text)
    .replace(/\d+/g, "0");
}
