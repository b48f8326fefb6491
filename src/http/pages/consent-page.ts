import type { Person } from "../../accounts/person.ts";
import type { Application, McpClient } from "../../applications/application.ts";
import { type Html, html } from "../../lib/html.ts";
import { aboutErrand, layout, mark } from "./layout.ts";
import { formActionFor, type Page } from "./page-response.ts";
import { type SpendingEntry, spendingFields } from "./spending-fields.ts";
import { AFTER_DOT, BEFORE_AT, cleanText, untrustedText, withBreaks } from "./text.ts";

interface ConsentOptions {
  application: Application;
  /** The program that uses the application over MCP; null for the application itself. */
  client: McpClient | null;
  person: Person;
  /** The authorization request. It is sent again with the decision. */
  parameters: Record<string, string>;
  formToken: string;
  redirectUri: string;
  /** When the person last signed in to the site. Null when they have to, or when the application has no sign-in. */
  signedInAt: Date | null;
  /** What the person chose the last time, or has just entered. */
  approval: "never" | "commits";
  spending: SpendingEntry;
}

export function consentPage(options: ConsentOptions): Page {
  const { application, client, parameters, formToken, redirectUri } = options;
  const name = cleanText(client?.name ?? application.name) || "Unnamed application";
  const body = html`
${pair(name)}
<h1 class="consent-title">Connect <strong>${untrustedText(name)}</strong>?</h1>
<p class="lead">It wants to run errands for you with Errand.</p>
<dl class="facts">
${client !== null && program(client, application)}
<div><dt>Works on</dt><dd>${sites(application)}</dd></div>
<div><dt>Signed in as</dt><dd>${account(options)}</dd></div>
</dl>
${rights(application)}
<form method="post" action="/v1/oauth/authorize">
${Object.entries(parameters).map(([field, value]) => hidden(field, value))}
${hidden("form_token", formToken)}
${hidden("person", options.person.id)}
${approval(options)}
${application.access === "all" && spendingFields(options.spending)}
${signIn(options)}
<div class="decision">
<button class="button" type="submit" name="decision" value="deny">Cancel</button>
<button class="button primary" type="submit" name="decision" value="allow">Allow</button>
</div>
</form>
<p class="back-to">Either way, you return to <bdi class="host">${withBreaks(describeReturnUrl(redirectUri), AFTER_DOT)}</bdi></p>
${aboutErrand()}`;
  return { html: layout({ title: `Connect ${name}`, body }), formTarget: formActionFor(redirectUri) };
}

const LOOPBACK_HOSTS = new Set(["127.0.0.1", "[::1]", "localhost"]);

function describeReturnUrl(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (!/^https?:$/.test(url.protocol)) return `the app ${url.protocol.slice(0, -1)}`;
  return LOOPBACK_HOSTS.has(url.hostname) ? `a program on this computer (${url.host})` : url.host;
}

/** The two parties. The application has only an initial: a logo could be borrowed and would inspire trust. */
function pair(name: string): Html {
  const [first] = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(name);
  return html`<div class="pair" aria-hidden="true"><span class="initial">${first?.segment.toUpperCase()}</span><span class="link"></span>${mark()}</div>`;
}

/** Its name is its own choice. Only the host of its id says whose it is. */
function program({ id }: McpClient, application: Application): Html | false {
  const [host] = hostOf(id);
  if (host === undefined) return false;
  return html`<div><dt>Program of</dt><dd><bdi class="host">${withBreaks(host, AFTER_DOT)}</bdi></dd></div>
<div><dt>Uses</dt><dd>${untrustedText(cleanText(application.name))}</dd></div>`;
}

const SHOWN_SITES = 4;

function sites({ homeUrl, signInUrl, allowedHosts }: Application): Html {
  const hosts = [...new Set([homeUrl, signInUrl].flatMap(hostOf).concat(allowedHosts))];
  if (hosts.length === 0) return html`The sites that each errand names`;
  const more = hosts.slice(SHOWN_SITES);
  return html`${list(hosts.slice(0, SHOWN_SITES))}${
    more.length > 0 && html`<details><summary>and ${more.length} more</summary>${list(more)}</details>`
  }`;
}

/** In punycode, so that look-alike letters cannot fake another host. */
function hostOf(siteUrl: string | null): string[] {
  const url = siteUrl === null ? null : URL.parse(siteUrl);
  return url === null ? [] : [url.host];
}

/** Wrapped, never cut: the end of a host name says whose it is. */
function list(hosts: string[]): Html {
  return html`<ul class="hosts">${hosts.map((host) => html`<li><bdi class="host">${withBreaks(cleanText(host), AFTER_DOT)}</bdi></li>`)}</ul>`;
}

function account({ person, parameters, formToken }: ConsentOptions): Html {
  return html`<bdi class="host">${withBreaks(cleanText(person.email), BEFORE_AT)}</bdi>
<form class="inline" method="post" action="/sign-out">
${hidden("return_to", `/v1/oauth/authorize?${new URLSearchParams(parameters)}`)}
${hidden("form_token", formToken)}
<button class="text-button" type="submit">Use another account</button>
</form>`;
}

/** What comes next for an application whose site requires a sign-in. */
function signIn({ application: { signInUrl, storedCredentials }, signedInAt }: ConsentOptions): Html | false {
  const [host] = hostOf(signInUrl);
  if (host === undefined) return false;
  const site = html`<bdi class="host">${withBreaks(host, AFTER_DOT)}</bdi>`;
  if (signedInAt === null)
    return html`<p class="next-step">Next, you sign in to ${site} in a browser that opens here.${storedCredentials && " After that you can choose whether Errand may sign in again by itself when the site has signed you out. For that it has to store your password, encrypted."}</p>`;
  const day = signedInAt.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return html`<label class="choice"><input type="checkbox" name="sign_in" value="again"><span>Sign in to ${site} again, for example with another account. Your sign-in from ${day} is still saved.</span></label>`;
}

const WHO_IS_ASKED = "The question goes to the application. It should pass it on to you, but can also answer for you.";

const YOU_ARE_ASKED = "You approve on a page of Errand's. The program cannot approve for you.";

/** Where nothing can be changed there is nothing to approve. */
function approval({ application, client, approval: chosen }: ConsentOptions): Html | false {
  if (application.access === "read_only") return false;
  const whoIsAsked = client === null ? WHO_IS_ASKED : YOU_ARE_ASKED;
  if (application.approval === "commits") {
    return html`<p class="next-step">Errand asks before anything is bought, sent or deleted. ${whoIsAsked}</p><input type="hidden" name="approval" value="${chosen}">`;
  }
  return html`<label class="choice"><input type="checkbox" name="approval" value="commits"${chosen === "commits" && html` checked`}><span>Ask before anything is bought, sent or deleted. ${whoIsAsked}</span></label>`;
}

const MAY = {
  all: ["Read what you can see there", "Act on your behalf: fill in forms, send messages, place orders"],
  read_only: ["Read what you can see there"],
};

const MAY_NOT = {
  all: ["See your password"],
  read_only: ["Change anything", "See your password"],
};

function rights({ access, signInUrl }: Application): Html {
  const browsing = `Open pages in a browser${signInUrl === null ? "" : ", signed in as you"}`;
  return html`<div class="rights">
<h2>It may</h2>
<ul class="may">${[browsing, ...MAY[access]].map((right) => html`<li>${tick()}<span>${right}</span></li>`)}</ul>
<h2>It may not</h2>
<ul class="may-not">${MAY_NOT[access].map((right) => html`<li>${dash()}<span>${right}</span></li>`)}</ul>
</div>`;
}

function tick(): Html {
  return html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d="M3 8.5l3.2 3.2L13 4.8" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

function dash(): Html {
  return html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d="M4 8h8" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/></svg>`;
}

function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}
