import type { Person } from "../../accounts/person.ts";
import type { Application } from "../../applications/application.ts";
import { type Html, html } from "../../lib/html.ts";
import { AFTER_DOT, breakable } from "./breakable.ts";
import { cleanText, foreignText } from "./foreign-text.ts";
import { liveLayout } from "./layout.ts";
import { liveDialogs } from "./live-dialogs.ts";
import { icon } from "./live-icons.ts";
import { brand, mark } from "./mark.ts";
import { formTargetOf } from "./redirect-target.ts";
import type { Page } from "./send-page.ts";

interface LivePageOptions {
  application: Application;
  person: Person;
  /** Of the page itself; the socket and the way out lie below it. */
  address: string;
  /** Opens the socket once. */
  ticket: string;
  formToken: string;
  redirectUri: string;
  publicUrl: string;
}

/** The site in a live browser. The server sends the shell; `live/main.js` fills it. */
export function livePage(options: LivePageOptions): Page {
  const { address, person, ticket, redirectUri, publicUrl } = options;
  const name = cleanText(options.application.name) || "Unnamed application";
  const site = siteOf(options.application);
  const body = html`
${withoutScript(options, site)}
<div class="live" id="live" hidden data-socket="${address}/live" data-ticket="${ticket}" data-site="${site}" data-application="${name}">
${head(options, name, site)}
<main class="live-window">
${bar()}
${stage(site)}
</main>
${foot(name)}
${liveDialogs({ name, site, person })}
<p class="visually-hidden" id="announcements" role="status"></p>
</div>`;
  return {
    html: liveLayout({ title: `Sign in to ${site} for ${name}`, body, script: "/assets/live/main.js" }),
    formTarget: formTargetOf(redirectUri),
    socketOrigin: new URL(publicUrl).origin.replace(/^http/, "ws"),
  };
}

/** As the network knows it (punycode), so that no look-alike letter passes for another. */
function siteOf({ signInUrl }: Application): string {
  return cleanText(URL.parse(signInUrl ?? "")?.host ?? "") || "the site";
}

function withoutScript(options: LivePageOptions, site: string): Html {
  return html`<noscript>
<div class="card live-without-script">
${brand()}
<h1>This page needs JavaScript</h1>
<p class="said">You sign in to <bdi class="host">${breakable(site, AFTER_DOT)}</bdi> in a browser that is shown here as a live picture, and that takes a script. Allow scripts for this page and load it again, or cancel and go back to the application.</p>
${cancelForm(options)}
</div>
</noscript>`;
}

function cancelForm({ address, formToken }: LivePageOptions, id?: string): Html {
  return html`<form class="live-cancel"${id && html` id="${id}"`} method="post" action="${address}/cancel">
<input type="hidden" name="form_token" value="${formToken}">
<button class="button" type="submit">Cancel</button>
</form>`;
}

function head(options: LivePageOptions, name: string, site: string): Html {
  return html`<header class="live-head">
${mark()}
<h1>Sign in to <bdi class="host">${breakable(site, AFTER_DOT)}</bdi> <span class="live-for">for ${foreignText(name)}</span></h1>
<button class="live-tool" id="help-button" type="button" aria-haspopup="dialog">${icon("help")}<span class="live-tool-name">Help</span></button>
${cancelForm(options, "cancel-form")}
</header>`;
}

/** The address is text and nothing else: nobody can be brought to type another one. */
function bar(): Html {
  return html`<div class="live-bar">
<button class="live-tool" id="back" type="button" disabled>${icon("back")}<span class="visually-hidden">Back</span></button>
<button class="live-tool" id="reload" type="button">${icon("reload")}<span class="visually-hidden">Reload the site’s page</span></button>
<p class="live-address" id="address"><span class="visually-hidden">Address of the page: </span><span class="live-lock" id="lock" hidden>${icon("lock")}<span class="visually-hidden">secure connection, </span></span><span class="live-not-secure" id="not-secure" hidden>${icon("warning")}<span>Not secure</span></span><bdi class="live-host" id="host"></bdi><bdi class="live-path" id="path"></bdi></p>
</div>
<div class="live-tabs" id="tabs" role="group" aria-label="Tabs of the site" hidden></div>`;
}

function stage(site: string): Html {
  return html`<div class="live-stage" id="stage">
<canvas class="live-picture" id="picture" width="1" height="1" role="img" aria-label="Live picture of ${site}" aria-describedby="picture-help">A live picture of ${site}. Your browser cannot show it: cancel, and try again with another browser.</canvas>
<textarea class="live-keys" id="keys" rows="1" cols="1" aria-label="Type into ${site}" aria-describedby="picture-help" autocomplete="off" autocorrect="off" autocapitalize="off" spellcheck="false" data-1p-ignore data-bwignore data-lpignore="true"></textarea>
<p class="visually-hidden" id="picture-help">What you type here goes to the site, the Tab key included, which moves between its fields. Press Escape twice to leave. The name of the field that has the keyboard is announced. If you cannot sign in this way, ask the people behind the application for help.</p>
<p class="live-pill" id="pace" role="status" hidden></p>
<p class="live-pill" id="toast" role="status" hidden></p>
<section class="live-notice" id="notice" aria-live="polite" hidden>
<span class="live-spinner" id="notice-spinner" aria-hidden="true"></span>
<h2 id="notice-title"></h2>
<p id="notice-text"></p>
<div class="live-notice-actions" id="notice-actions"></div>
</section>
</div>
<div class="live-idle" id="idle" role="alert" hidden>
<p>Nothing has happened for a while. This ends in <strong id="idle-seconds"></strong>; move or press a key to stay.</p>
<button class="button" id="stay" type="button">Stay</button>
</div>`;
}

function foot(name: string): Html {
  return html`<footer class="live-foot">
<div class="live-says">
<p class="live-status" id="status" role="status"><span class="live-spinner" id="status-spinner" aria-hidden="true" hidden></span><span id="status-text"></span></p>
<div class="live-notes">
<p class="live-note" id="promise">What you type goes through this server to the site and is not stored or logged. The sign-in itself is kept, encrypted, for ${foreignText(name)}.</p>
<p class="live-note" id="keyboard-hint" hidden>The keyboard writes into the site. Press <kbd>Esc</kbd> twice, or <button class="text-button" id="leave" type="button">leave the picture</button>.</p>
</div>
</div>
<div class="live-touch-tools">
<button class="button" id="keyboard-button" type="button">${icon("keyboard")}<span class="live-tool-name">Keyboard</span></button>
<button class="button" id="paste-button" type="button" hidden>${icon("paste")}<span class="live-tool-name">Paste</span></button>
</div>
<button class="button primary live-confirm" id="confirm" type="button" disabled>I’m signed in: continue</button>
</footer>`;
}
