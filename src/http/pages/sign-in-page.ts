import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "../../accounts/person.ts";
import { type Html, html } from "../../lib/html.ts";
import { aboutErrand, brand, layout } from "./layout.ts";
import type { Page } from "./page-response.ts";
import { untrustedText } from "./text.ts";

interface SignInOptions {
  mode: "sign-in" | "sign-up";
  email: string;
  problem: string | null;
  /** Where they come from. */
  arrival: Arrival | null;
  returnTo: string;
  formToken: string;
  applicationName: string | null;
}

/** The sign-up page doesn't say whether there was an account already. */
export type Arrival = "signed-up" | "new-password";

const ARRIVALS: Record<Arrival, string> = {
  "signed-up":
    "Now sign in with your email address and password. If you already had an account with this address, its password has not changed.",
  "new-password": "Your new password is saved. Sign in with it.",
};

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
  const { mode, problem, arrival, returnTo, formToken, applicationName } = options;
  const words = WORDS[mode];
  const body = html`
${brand()}
<h1>${words.title}</h1>
${applicationName !== null && html`<p class="lead">to connect <strong>${untrustedText(applicationName)}</strong></p>`}
${arrival !== null && html`<p class="notice" role="status">${ARRIVALS[arrival]}</p>`}
${problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<form class="fields-form" method="post" action="/${mode}">
<input type="hidden" name="return_to" value="${returnTo}">
<input type="hidden" name="form_token" value="${formToken}">
${emailField(options)}
${passwordField(options)}
<button class="button primary" type="submit">${words.submit}</button>
</form>
<p class="switch">${words.question} <a href="${otherModeUrl(options)}">${words.otherTitle}</a></p>
${aboutErrand()}`;
  return { html: layout({ title: words.title, body }) };
}

function emailField({ mode, email, problem }: SignInOptions): Html {
  return html`<div class="field">
<label for="email">Email address</label>
<input id="email" name="email" type="email" value="${email}" required maxlength="254" autocapitalize="none" spellcheck="false"
  autocomplete="${mode === "sign-in" ? "username" : "email"}"${problem !== null && html` aria-describedby="problem"`}${email === "" && html` autofocus`}>
</div>`;
}

function passwordField({ mode, email, problem, returnTo }: SignInOptions): Html {
  const [hasProblem, hasFocus] = [problem !== null, email !== ""];
  if (mode === "sign-up") return newPasswordField({ label: "Password", hasProblem, hasFocus });
  return html`<div class="field">
<div class="field-head"><label for="password">Password</label><a href="/forgot-password?${new URLSearchParams({ return_to: returnTo.toWellFormed() }).toString()}">Forgot password?</a></div>
<input id="password" name="password" type="password" required autocomplete="current-password"${
    hasProblem && html` aria-describedby="problem"`
  }${hasFocus && html` autofocus`}>
</div>`;
}

interface NewPasswordOptions {
  label: string;
  hasProblem: boolean;
  hasFocus: boolean;
}

export function newPasswordField({ label, hasProblem, hasFocus }: NewPasswordOptions): Html {
  return html`<div class="field">
<label for="password">${label}</label>
<input id="password" name="password" type="password" required autocomplete="new-password" minlength="${PASSWORD_MIN_LENGTH}" passwordrules="minlength: ${PASSWORD_MIN_LENGTH}; maxlength: ${PASSWORD_MAX_LENGTH};" aria-describedby="${hasProblem ? "problem password-hint" : "password-hint"}"${hasFocus && html` autofocus`}>
<p class="hint" id="password-hint">${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters.</p>
</div>`;
}

function otherModeUrl({ mode, email, returnTo }: SignInOptions): string {
  const url = `/${WORDS[mode].other}?return_to=${encodeURIComponent(returnTo.toWellFormed())}`;
  return email === "" ? url : `${url}&email=${encodeURIComponent(email.toWellFormed())}`;
}
