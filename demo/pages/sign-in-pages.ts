import { html } from "../../src/lib/html.ts";
import { page, type SiteResponse } from "../site/response.ts";
import type { Visit } from "../site/visit.ts";
import { hasProblems, type Problems } from "../trade/problems.ts";
import { checkbox, postForm, problemSummary, textField } from "./fields.ts";

export function signInPage({ session }: Visit, returnTo: string, email = "", problems: Problems = {}): SiteResponse {
  return page(
    "Sign in",
    html`<div class="narrow"><h1>Sign in</h1>
    ${session.lapsed && html`<p class="callout warning" role="alert">Your session has expired. Please sign in again to go on where you were.</p>`}
    ${problemSummary(problems)}
    ${postForm(
      session,
      "/sign-in",
      html`<input type="hidden" name="return" value="${returnTo}">
      ${textField({ label: "E-mail address", name: "email", value: email, problems, type: "email", autocomplete: "username" })}
      ${textField({ label: "Password", name: "password", value: "", problems, type: "password", autocomplete: "current-password" })}
      <button class="button" type="submit">Sign in</button>`,
      "form card",
    )}
    <p>New here? <a href="/sign-up?${new URLSearchParams({ return: returnTo }).toString()}">Create an account</a></p></div>`,
    hasProblems(problems) ? 422 : 200,
  );
}

export function codePage({ session }: Visit, returnTo: string, problems: Problems = {}): SiteResponse {
  return page(
    "One-time code",
    html`<div class="narrow"><h1>Enter your one-time code</h1>
    <p class="lead">We have sent six digits to ${session.pendingEmail}. They are valid for ten minutes.</p>
    ${problemSummary(problems)}
    <div class="card">${postForm(
      session,
      "/sign-in/code",
      html`<input type="hidden" name="return" value="${returnTo}">
      ${textField({ label: "One-time code", name: "code", value: "", problems, autocomplete: "one-time-code", inputmode: "numeric" })}
      <button class="button" type="submit">Confirm</button>`,
    )}
    ${postForm(
      session,
      "/sign-in/code/again",
      html`<input type="hidden" name="return" value="${returnTo}"><button class="link" type="submit">Send a new code</button>`,
    )}</div>
    <p><a href="/sign-in">Sign in with another account</a></p></div>`,
    hasProblems(problems) ? 422 : 200,
  );
}

export interface SignUpValues {
  email: string;
  displayName: string;
  newsletter: boolean;
}

export function signUpPage(
  { session }: Visit,
  returnTo: string,
  values: SignUpValues,
  problems: Problems = {},
): SiteResponse {
  return page(
    "Create an account",
    html`<div class="narrow"><h1>Create an account</h1>
    ${problemSummary(problems)}
    ${postForm(
      session,
      "/sign-up",
      html`<input type="hidden" name="return" value="${returnTo}">
      ${textField({ label: "Your name", name: "displayName", value: values.displayName, problems, autocomplete: "name" })}
      ${textField({ label: "E-mail address", name: "email", value: values.email, problems, type: "email", autocomplete: "username" })}
      ${textField({
        label: "Password",
        name: "password",
        value: "",
        problems,
        type: "password",
        autocomplete: "new-password",
        hint: "Eight characters or more",
      })}
      ${checkbox("newsletter", "Send me the newsletter", values.newsletter, "Four times a year, with a season's picks")}
      <button class="button" type="submit">Create account</button>`,
      "form card",
    )}
    <p>You have an account? <a href="/sign-in?${new URLSearchParams({ return: returnTo }).toString()}">Sign in</a></p></div>`,
    hasProblems(problems) ? 422 : 200,
  );
}
