import { signUpPage } from "../pages/sign-in-pages.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { anyone, type Route } from "../site/route.ts";
import { field, type Visit } from "../site/visit.ts";
import { hasProblems, type Problems } from "../trade/problems.ts";
import { enter, returnPath } from "./sign-in.ts";

export const SIGN_UP_ROUTES: readonly Route[] = [
  anyone("GET", "/sign-up", showSignUp),
  anyone("POST", "/sign-up", signUp),
];

const PASSWORD_MIN_LENGTH = 8;

export function looksLikeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);
}

function showSignUp(visit: Visit): SiteResponse {
  const returnTo = returnPath(visit.query.get("return"));
  if (visit.account !== null) return redirect(returnTo);
  return signUpPage(visit, returnTo, { email: "", displayName: "", newsletter: false });
}

function signUp(visit: Visit): SiteResponse {
  const returnTo = returnPath(visit.form.get("return"));
  const values = {
    email: field(visit, "email"),
    displayName: field(visit, "displayName"),
    newsletter: field(visit, "newsletter") === "yes",
  };
  const password = visit.form.get("password") ?? "";
  const problems: Problems = {};
  if (values.displayName === "") problems["displayName"] = "Enter your name.";
  if (!looksLikeEmail(values.email)) problems["email"] = "Enter an e-mail address, for example name@demo.example.";
  else if (visit.shop.accounts.find(values.email) !== undefined) {
    problems["email"] = "There is an account with this e-mail address. Please sign in.";
  }
  if (password.length < PASSWORD_MIN_LENGTH) problems["password"] = "A password has eight characters or more.";
  if (hasProblems(problems)) return signUpPage(visit, returnTo, values, problems);
  const account = visit.shop.accounts.create(values.email, values.displayName, password);
  account.newsletter = values.newsletter;
  enter(visit, account);
  visit.session.notice = `Welcome, ${account.displayName}.`;
  return redirect(returnTo);
}
