import type { Person } from "../../accounts/person.ts";
import type { Application } from "../../applications/application.ts";
import { type Html, html } from "../../lib/html.ts";
import { brand, liveLayout, mark } from "./layout.ts";
import { formActionFor, type Page } from "./page-response.ts";
import { AFTER_DOT, BEFORE_AT, cleanText, untrustedText, withBreaks } from "./text.ts";

interface LivePageOptions {
  application: Application;
  person: Person;
  /** The path of this page. The socket and the cancel form are below it. */
  path: string;
  /** Opens the socket. Valid once. */
  ticket: string;
  formToken: string;
  redirectUri: string;
  publicUrl: string;
}

/** The page that shows the site in a live browser. This is the shell; `live/main.js` does the rest. */
export function livePage(options: LivePageOptions): Page {
  const { path, person, ticket, redirectUri, publicUrl } = options;
  const name = cleanText(options.application.name) || "Unnamed application";
  const site = siteOf(options.application);
  const body = html`
${withoutScript(options, site)}
<div class="live" id="live" hidden data-socket="${path}/live" data-ticket="${ticket}" data-site="${site}" data-application="${name}">
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
    formTarget: formActionFor(redirectUri),
    socketOrigin: new URL(publicUrl).origin.replace(/^http/, "ws"),
  };
}

/** In punycode, so that look-alike letters cannot fake another host. */
function siteOf({ signInUrl }: Application): string {
  return cleanText(URL.parse(signInUrl ?? "")?.host ?? "") || "the site";
}

function withoutScript(options: LivePageOptions, site: string): Html {
  return html`<noscript>
<div class="card live-without-script">
${brand()}
<h1>This page needs JavaScript</h1>
<p class="said">You sign in to <bdi class="host">${withBreaks(site, AFTER_DOT)}</bdi> in a browser that is shown here as a live picture. That needs JavaScript. Allow scripts for this page and reload it, or cancel and go back to the application.</p>
${cancelForm(options)}
</div>
</noscript>`;
}

function cancelForm({ path, formToken }: LivePageOptions, id?: string): Html {
  return html`<form class="live-cancel"${id && html` id="${id}"`} method="post" action="${path}/cancel">
<input type="hidden" name="form_token" value="${formToken}">
<button class="button" type="submit">Cancel</button>
</form>`;
}

function head(options: LivePageOptions, name: string, site: string): Html {
  return html`<header class="live-head">
${mark()}
<h1>Sign in to <bdi class="host">${withBreaks(site, AFTER_DOT)}</bdi> <span class="live-for">for ${untrustedText(name)}</span></h1>
<button class="live-tool" id="help-button" type="button" aria-haspopup="dialog">${icon("help")}<span class="live-tool-name">Help</span></button>
${cancelForm(options, "cancel-form")}
</header>`;
}

/** The URL is plain text, not an input: nobody can be tricked into typing another one. */
function bar(): Html {
  return html`<div class="live-bar">
<button class="live-tool" id="back" type="button" disabled>${icon("back")}<span class="visually-hidden">Back</span></button>
<button class="live-tool" id="reload" type="button">${icon("reload")}<span class="visually-hidden">Reload the site’s page</span></button>
<p class="live-address" id="address"><span class="visually-hidden">Page URL: </span><span class="live-lock" id="lock" hidden>${icon("lock")}<span class="visually-hidden">secure connection, </span></span><span class="live-not-secure" id="not-secure" hidden>${icon("warning")}<span>Not secure</span></span><bdi class="live-host" id="host"></bdi><bdi class="live-path" id="path"></bdi></p>
</div>
<div class="live-tabs" id="tabs" role="group" aria-label="Tabs of the site" hidden></div>`;
}

function stage(site: string): Html {
  return html`<div class="live-stage" id="stage">
<canvas class="live-picture" id="picture" width="1" height="1" role="img" aria-label="Live picture of ${site}" aria-describedby="picture-help">A live picture of ${site}. Your browser cannot show it. Cancel and try again in another browser.</canvas>
<textarea class="live-keys" id="keys" rows="1" cols="1" aria-label="Type into ${site}" aria-describedby="picture-help" autocomplete="off" autocorrect="off" autocapitalize="off" spellcheck="false" data-1p-ignore data-bwignore data-lpignore="true"></textarea>
<p class="visually-hidden" id="picture-help">What you type here goes to the site. The Tab key moves between its fields. Press Escape twice to leave. The name of the focused field is announced. If you cannot sign in this way, ask the application’s developer for help.</p>
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
<p>You have been inactive for a while. This sign-in ends in <strong id="idle-seconds"></strong>. Move the pointer or press a key to stay.</p>
<button class="button" id="stay" type="button">Stay</button>
</div>`;
}

function foot(name: string): Html {
  return html`<footer class="live-foot">
<div class="live-says">
<p class="live-status" id="status" role="status"><span class="live-spinner" id="status-spinner" aria-hidden="true" hidden></span><span id="status-text"></span></p>
<div class="live-notes">
<p class="live-note" id="promise">What you type goes through this server to the site. It is not stored or logged.<span class="live-more"> Your sign-in is saved, encrypted, for ${untrustedText(name)}.</span></p>
<p class="live-note" id="keyboard-hint" hidden>You are typing into the site. Press <kbd>Esc</kbd> twice, or <button class="text-button" id="leave" type="button">leave the picture</button>.</p>
</div>
</div>
<div class="live-touch-tools">
<button class="button" id="keyboard-button" type="button">${icon("keyboard")}<span class="live-tool-name">Keyboard</span></button>
<button class="button" id="paste-button" type="button" hidden>${icon("paste")}<span class="live-tool-name">Paste</span></button>
</div>
<button class="button primary live-confirm" id="confirm" type="button" disabled>I’m signed in, continue</button>
</footer>`;
}

interface Names {
  /** The application's name. */
  name: string;
  site: string;
  person: Person;
}

/** The dialogs of the live page. */
function liveDialogs({ name, site, person }: Names): Html {
  return html`${siteDialog()}
${choices()}
${help(name, site, person)}`;
}

/** The site's own words are set apart, so that they cannot pass for ours. */
function siteDialog(): Html {
  return html`<dialog class="live-dialog" id="site-dialog" aria-labelledby="site-dialog-title">
<form method="dialog" id="site-dialog-form">
<h2 id="site-dialog-title"></h2>
<p class="live-dialog-message" id="site-dialog-message"></p>
<div class="field" id="site-dialog-answer" hidden>
<label for="site-dialog-text">Your answer</label>
<input id="site-dialog-text" type="text" maxlength="1000" autocomplete="off" autocapitalize="none" spellcheck="false">
</div>
<p class="live-dialog-way-out" id="site-dialog-way-out" hidden>If this page keeps opening dialogs: <button class="text-button" type="submit" form="cancel-form">End this sign-in</button></p>
<div class="live-dialog-actions">
<button class="button" id="site-dialog-cancel" type="button">Cancel</button>
<button class="button primary" id="site-dialog-accept" type="submit">OK</button>
</div>
</form>
</dialog>`;
}

function choices(): Html {
  return html`<dialog class="live-dialog" id="choices" aria-labelledby="choices-title">
<h2 id="choices-title"></h2>
<div class="field" id="choices-search" hidden>
<label for="choices-filter">Find</label>
<input id="choices-filter" type="search" autocomplete="off" autocapitalize="none" spellcheck="false">
</div>
<ul class="live-choices" id="choices-list"></ul>
<div class="live-dialog-actions">
<button class="button" id="choices-close" type="button">Cancel</button>
</div>
</dialog>`;
}

function help(name: string, site: string, { email }: Person): Html {
  return html`<dialog class="live-dialog live-help" id="help" aria-labelledby="help-title">
<h2 id="help-title">What happens here</h2>
<p>This is a real browser on Errand’s server, shown as a live picture. Sign in to <bdi class="host">${site}</bdi> as usual, then press “I’m signed in, continue”. Errand checks that you are signed in and saves the sign-in, encrypted, so that ${untrustedText(name)} can run errands as you.</p>
<p>You are signed in to Errand as <bdi class="host">${withBreaks(cleanText(email), BEFORE_AT)}</bdi>.</p>
<h3>Your password</h3>
<p>What you type passes through this server’s memory to the site’s own page. It is never stored or logged, and this page is not recorded.</p>
<h3>With a keyboard or a screen reader</h3>
<ul>
<li>Move to “Type into ${site}” with Tab. From then on, keys go to the site: Tab moves through its fields, Enter presses its buttons.</li>
<li>Press Escape twice to return to this page.</li>
<li>The site’s title and the name of the focused field are announced. The rest of the site is a picture and cannot be read aloud.</li>
<li>If you cannot sign in this way, ask the developer of ${untrustedText(name)} for help.</li>
</ul>
<h3>On a phone</h3>
<p>Touch the picture as you would touch the site. If the keyboard does not open by itself, press “Keyboard”.</p>
<form method="dialog" class="live-dialog-actions"><button class="button primary" type="submit">Close</button></form>
</dialog>`;
}

const PATHS = {
  back: "M12.5 5l-5 5 5 5",
  reload: "M15.5 10a5.5 5.5 0 1 1-1.6-3.9L15.5 7.7M15.5 4v3.7h-3.7",
  lock: "M6 9V7a4 4 0 0 1 8 0v2M5.5 9h9a1 1 0 0 1 1 1v5.5a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1z",
  warning: "M10 4l7 12.5H3zM10 9v3.5M10 14.6v.1",
  help: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7.9 8.1a2.2 2.2 0 1 1 3.2 2c-.7.4-1.1.8-1.1 1.6M10 14v.1",
  keyboard: "M3 5.5h14v9H3zM6 8.5h.1M9 8.5h.1M12 8.5h.1M14.5 8.5h.1M6.5 11.7h7",
  paste: "M7.5 4.5h-2v12h9v-12h-2M7.5 3.5h5v2.5h-5z",
};

/** Hidden from screen readers: there is always a text label beside it. */
function icon(name: keyof typeof PATHS): Html {
  return html`<svg class="live-icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false"><path d="${PATHS[name]}" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}
