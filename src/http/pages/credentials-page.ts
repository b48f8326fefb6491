import type { Application } from "../../applications/application.ts";
import { type Html, html } from "../../lib/html.ts";
import { brand, layout } from "./layout.ts";
import { formActionFor, type Page } from "./page-response.ts";
import { AFTER_DOT, cleanText, untrustedText, withBreaks } from "./text.ts";

interface CredentialsPageOptions {
  application: Application;
  /** The path of this page. */
  path: string;
  /** Host patterns of the pages on which the credentials will be entered. */
  hosts: readonly string[];
  formToken: string;
  redirectUri: string;
}

/** After a sign-in by hand: the person may store their credentials, so that the sign-in renews itself. */
export function credentialsPage(options: CredentialsPageOptions & { userName: string; problem: string | null }): Page {
  const { application, path, hosts, formToken, problem } = options;
  const name = cleanText(application.name) || "Unnamed application";
  const site = siteOf(application);
  const body = html`
${brand()}
<h1>Let Errand sign in again by itself?</h1>
<p class="lead">You are signed in to ${site}. Sites end a sign-in after a while. If you store your password here, Errand then signs in for you, and the errands of ${untrustedText(name)} go on. You don’t have to: without it you sign in again yourself.</p>
<dl class="facts">
<div><dt>Stored</dt><dd>User name, password and the secret for one-time codes, encrypted, on this server.</dd></div>
<div><dt>Entered only on</dt><dd>${hostList(hosts)}</dd></div>
<div><dt>Shown to</dt><dd>Nobody. No page, app or AI model gets it, and you can’t read it here either. The people who run this server have the key.</dd></div>
<div><dt>If it fails</dt><dd>Errand tries once. Then it asks you to sign in yourself.</dd></div>
<div><dt>Deleted</dt><dd>When you delete it under Connected apps, when you disconnect, and when you sign in by hand again.</dd></div>
</dl>
${problem !== null && html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<form class="fields-form" method="post" action="${path}">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="decision" value="store">
<div class="field">
<label for="user-name">User name or email address on ${site}</label>
<input id="user-name" name="user_name" type="text" value="${options.userName}" required maxlength="500" autocomplete="off" autocapitalize="none" spellcheck="false"${problem !== null && html` aria-describedby="problem"`}>
</div>
<div class="field">
<label for="password">Password on ${site}</label>
<input id="password" name="password" type="password" required maxlength="500" autocomplete="off">
</div>
<div class="field">
<label for="totp-secret">One-time code secret (optional)</label>
<input id="totp-secret" name="totp_secret" type="text" maxlength="1000" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="totp-hint">
<p class="hint" id="totp-hint">Only if the site asks for a code of an authenticator app. It is the text that the site shows beside the QR code when you set the app up, or a link that begins with otpauth://.</p>
</div>
<div class="decision">
<button class="button" type="submit" form="not-now">Not now</button>
<button class="button primary" type="submit">Store and continue</button>
</div>
</form>
${continueForm(options, "not-now")}`;
  return toPage("Let Errand sign in again by itself?", body, options);
}

/** In response to the form only: no page shows a code of what is stored. */
export function codePreviewPage(options: CredentialsPageOptions & { code: string }): Page {
  const { application, path, code } = options;
  const body = html`
${brand()}
<h1>Compare the code</h1>
<p class="lead">Your credentials are stored. Your authenticator app should show this code for ${siteOf(application)} now, or has shown it in the last seconds:</p>
<p class="code-preview"><strong>${code.slice(0, code.length / 2)} ${code.slice(code.length / 2)}</strong></p>
<p class="said">If it shows another one, the secret is not right.</p>
<div class="decision">
<a class="button" href="${path}">Enter again</a>
<button class="button primary" type="submit" form="go-on">Continue</button>
</div>
${continueForm(options, "go-on")}`;
  return toPage("Compare the code", body, options);
}

/** Apart from the other form: so the Enter key in a field of that one stores. */
function continueForm({ path, formToken }: CredentialsPageOptions, id: string): Html {
  return html`<form id="${id}" method="post" action="${path}">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="decision" value="continue">
</form>`;
}

function toPage(title: string, body: Html, { redirectUri }: CredentialsPageOptions): Page {
  return { html: layout({ title, body }), formTarget: formActionFor(redirectUri) };
}

/** In punycode, so that look-alike letters cannot fake another host. */
function siteOf({ signInUrl }: Application): Html {
  const host = cleanText(URL.parse(signInUrl ?? "")?.host ?? "") || "the site";
  return html`<bdi class="host">${withBreaks(host, AFTER_DOT)}</bdi>`;
}

/** Wrapped, never cut: the end of a host name says whose it is. */
function hostList(hosts: readonly string[]): Html {
  return html`<ul class="hosts">${hosts.map((host) => html`<li><bdi class="host">${withBreaks(cleanText(host), AFTER_DOT)}</bdi></li>`)}</ul>`;
}
