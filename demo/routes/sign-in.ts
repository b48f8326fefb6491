import { parseLocalPath } from "../../src/lib/local-path.ts";
import { codePage, signInPage } from "../pages/sign-in-pages.ts";
import type { Account } from "../people/accounts.ts";
import { issueCode, tryCode } from "../people/one-time-code.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { anyone, type Route } from "../site/route.ts";
import { field, type Visit } from "../site/visit.ts";
import { mergeInto } from "../trade/cart.ts";
import type { Problems } from "../trade/problems.ts";

export const SIGN_IN_ROUTES: readonly Route[] = [
  anyone("GET", "/sign-in", showSignIn),
  anyone("POST", "/sign-in", signIn),
  anyone("GET", "/sign-in/code", showCode),
  anyone("POST", "/sign-in/code", confirmCode),
  anyone("POST", "/sign-in/code/again", sendCodeAgain),
  anyone("POST", "/sign-out", signOut),
];

/** The path to open after signing in: never on another site, and the account page by default. */
export function returnPath(text: string | null): string {
  return text === null || text === "" ? "/account" : parseLocalPath(text);
}

/** Moves the items that were in the guest cart to the account. */
export function enter({ session, shop }: Visit, account: Account): void {
  mergeInto(account.cart, session.cart, (sku) => shop.stock.of(sku));
  shop.sessions.signIn(session, account.email);
}

function showSignIn(visit: Visit): SiteResponse {
  const returnTo = returnPath(visit.query.get("return"));
  return visit.account === null ? signInPage(visit, returnTo) : redirect(returnTo);
}

function signIn(visit: Visit): SiteResponse {
  const returnTo = returnPath(visit.form.get("return"));
  const email = field(visit, "email");
  // A password is not trimmed: leading and trailing spaces are part of it.
  const password = visit.form.get("password") ?? "";
  const problems: Problems = {};
  if (email === "") problems["email"] = "Enter your e-mail address.";
  if (password === "") problems["password"] = "Enter your password.";
  const account = visit.shop.accounts.findByPassword(email, password);
  if (email !== "" && password !== "" && account === undefined) {
    problems["password"] = "E-mail address and password do not fit together.";
  }
  if (account === undefined) return signInPage(visit, returnTo, email, problems);
  if (account.asksForCode) {
    visit.session.pendingEmail = account.email;
    sendCode(visit, account);
    return redirect(codePath(returnTo));
  }
  enter(visit, account);
  return redirect(returnTo);
}

function showCode(visit: Visit): SiteResponse {
  const returnTo = returnPath(visit.query.get("return"));
  return visit.session.pendingEmail === null ? redirect("/sign-in") : codePage(visit, returnTo);
}

function confirmCode(visit: Visit): SiteResponse {
  const returnTo = returnPath(visit.form.get("return"));
  const account = visit.shop.accounts.find(visit.session.pendingEmail ?? "");
  if (account === undefined) return redirect("/sign-in");
  const digits = field(visit, "code");
  if (digits === "") return codePage(visit, returnTo, { code: "Enter the six digits." });
  switch (account.code === null ? "used-up" : tryCode(account.code, digits, visit.now)) {
    case "right":
      account.code = null;
      enter(visit, account);
      return redirect(returnTo);
    case "wrong":
      return codePage(visit, returnTo, { code: "This is not the code we sent. Check the digits." });
    case "used-up":
      return codePage(visit, returnTo, { code: "This code is not valid any more. Send a new one." });
  }
}

function sendCodeAgain(visit: Visit): SiteResponse {
  const account = visit.shop.accounts.find(visit.session.pendingEmail ?? "");
  if (account === undefined) return redirect("/sign-in");
  sendCode(visit, account);
  visit.session.notice = "A new code is on its way.";
  return redirect(codePath(returnPath(visit.form.get("return"))));
}

function sendCode({ shop, now }: Visit, account: Account): void {
  account.code = issueCode(now);
  const { digits } = account.code;
  shop.sendMail({ to: account.email, subject: "Your one-time code", text: `Your one-time code is ${digits}.` });
}

function codePath(returnTo: string): string {
  return `/sign-in/code?${new URLSearchParams({ return: returnTo })}`;
}

function signOut({ session, shop }: Visit): SiteResponse {
  shop.sessions.signOut(session);
  session.notice = "You are signed out.";
  return redirect("/");
}
