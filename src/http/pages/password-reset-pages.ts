import { type Html, html } from "../../lib/html.ts";
import { brand, layout } from "./layout.ts";
import type { Page } from "./page-response.ts";
import { newPasswordField } from "./sign-in-page.ts";
import { codeBlock, untrustedText } from "./text.ts";

interface ForgotPasswordOptions {
  /** Without mail, only the operator can help. */
  canSendMail: boolean;
  /** Whether the page is opened on the machine itself: probably by the operator. */
  isLocal: boolean;
  email: string;
  returnTo: string;
  formToken: string;
}

export function forgotPasswordPage(options: ForgotPasswordOptions): Page {
  const { canSendMail, isLocal, email, returnTo, formToken } = options;
  const title = "Forgot your password?";
  const form = html`
<p>Enter your email address. You get a link with which you choose a new password.</p>
<form class="fields-form" method="post" action="/forgot-password">
<input type="hidden" name="return_to" value="${returnTo}">
<input type="hidden" name="form_token" value="${formToken}">
<div class="field">
<label for="email">Email address</label>
<input id="email" name="email" type="email" value="${email}" required maxlength="254" autocapitalize="none" spellcheck="false" autocomplete="username" autofocus>
</div>
<button class="button primary" type="submit">Send link</button>
</form>`;
  const body = html`
${brand()}
<h1>${title}</h1>
${canSendMail ? form : askOperator(isLocal)}
${backToSignIn(returnTo)}`;
  return { html: layout({ title, body }) };
}

function askOperator(isLocal: boolean): Html {
  return html`<p>Ask whoever runs this Errand for a new password. They can create a link for you, which works once and for an hour.</p>
${isLocal && html`<p>If you run it yourself, this command creates the link:</p>${codeBlock("errand user reset-password --user YOUR-EMAIL-ADDRESS")}`}`;
}

/** The same for every email address, so that nobody can find out who has an account. */
export function linkSentPage({ email, returnTo }: { email: string; returnTo: string }): Page {
  const title = "Check your mail";
  const body = html`
${brand()}
<h1>${title}</h1>
<p role="status">If <strong>${untrustedText(email)}</strong> has an account, a link is on its way. It works once and for an hour.</p>
<p class="hint">Nothing arrived? Look into the spam folder, and check the address.</p>
${backToSignIn(returnTo)}`;
  return { html: layout({ title, body }) };
}

interface ResetPasswordOptions {
  token: string;
  problem: string | null;
  formToken: string;
}

export function resetPasswordPage({ token, problem, formToken }: ResetPasswordOptions): Page {
  const title = "Choose a new password";
  const body = html`
${brand()}
<h1>${title}</h1>
<p>You are signed out everywhere, and then sign in with the new password.</p>
${problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<form class="fields-form" method="post" action="/reset-password">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="form_token" value="${formToken}">
${newPasswordField({ label: "New password", hasProblem: problem !== null, hasFocus: true })}
<button class="button primary" type="submit">Save password</button>
</form>`;
  return { html: layout({ title, body }) };
}

export function linkUsedPage(): Page {
  const title = "This link does not work any more";
  const body = html`
${brand()}
<h1>${title}</h1>
<p>Links for a new password work once and for an hour.</p>
<p class="switch"><a href="/forgot-password">Ask for a new link</a></p>`;
  return { html: layout({ title, body }) };
}

function backToSignIn(returnTo: string): Html {
  return html`<p class="switch"><a href="/sign-in?return_to=${encodeURIComponent(returnTo.toWellFormed())}">Back to sign-in</a></p>`;
}
