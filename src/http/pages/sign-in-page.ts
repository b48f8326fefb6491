import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "../../accounts/person.ts";
import { type Html, html } from "../../lib/html.ts";
import { brand, layout } from "./layout.ts";
import type { Page } from "./page-response.ts";
import { untrustedText } from "./text.ts";

interface SignInOptions {
  mode: "sign-in" | "sign-up";
  email: string;
  problem: string | null;
  /** They come from the sign-up page, which doesn't say whether there was an account already. */
  hasSignedUp: boolean;
  returnTo: string;
  formToken: string;
  applicationName: string | null;
}

const WORDS = {
  "sign-in": {
    title: "Sign in",
    submit: "Sign in",
    question: "New here?",
    other: "sign-up",
    otherTitle: "Create an account",
  },
  "sign-up": {
    title: "Create an account",
    submit: "Create account",
    question: "Have an account?",
    other: "sign-in",
    otherTitle: "Sign in",
  },
} as const;

export function signInPage(options: SignInOptions): Page {
  const { mode, problem, hasSignedUp, returnTo, formToken, applicationName } = options;
  const words = WORDS[mode];
  const body = html`
${brand()}
<h1>${words.title}</h1>
${applicationName !== null && html`<p class="lead">to connect <strong>${untrustedText(applicationName)}</strong></p>`}
${
  hasSignedUp &&
  html`<p class="notice" role="status">Now sign in with your email address and password. If you already had an account with this address, its
password has not changed.</p>`
}
${problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<form class="fields-form" method="post" action="/${mode}">
<input type="hidden" name="return_to" value="${returnTo}">
<input type="hidden" name="form_token" value="${formToken}">
${emailField(options)}
${passwordField(options)}
<button class="button primary" type="submit">${words.submit}</button>
</form>
<p class="switch">${words.question} <a href="${otherModeUrl(options)}">${words.otherTitle}</a></p>`;
  return { html: layout({ title: words.title, body }) };
}

function emailField({ mode, email, problem }: SignInOptions): Html {
  return html`<div class="field">
<label for="email">Email address</label>
<input id="email" name="email" type="email" value="${email}" required maxlength="254" autocapitalize="none" spellcheck="false"
  autocomplete="${mode === "sign-in" ? "username" : "email"}"${problem !== null && html` aria-describedby="problem"`}${email === "" && html` autofocus`}>
</div>`;
}

function passwordField({ mode, email, problem }: SignInOptions): Html {
  const isNew = mode === "sign-up";
  const describedBy = [problem === null ? "" : "problem", isNew ? "password-hint" : ""]
    .filter((id) => id !== "")
    .join(" ");
  return html`<div class="field">
<label for="password">Password</label>
<input id="password" name="password" type="password" required autocomplete="${isNew ? "new-password" : "current-password"}"${
    isNew &&
    html` minlength="${PASSWORD_MIN_LENGTH}" passwordrules="minlength: ${PASSWORD_MIN_LENGTH}; maxlength: ${PASSWORD_MAX_LENGTH};"`
  }${describedBy !== "" && html` aria-describedby="${describedBy}"`}${email !== "" && html` autofocus`}>
${isNew && html`<p class="hint" id="password-hint">${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters.</p>`}
</div>`;
}

function otherModeUrl({ mode, email, returnTo }: SignInOptions): string {
  const url = `/${WORDS[mode].other}?return_to=${encodeURIComponent(returnTo.toWellFormed())}`;
  return email === "" ? url : `${url}&email=${encodeURIComponent(email.toWellFormed())}`;
}
