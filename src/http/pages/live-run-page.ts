import { type Html, html } from "../../lib/html.ts";
import { brand, layout, liveLayout } from "./layout.ts";
import type { Page } from "./page-response.ts";
import { cleanText } from "./text.ts";

interface LiveRunPageOptions {
  applicationName: string;
  /** The path of this page. The socket is below it. */
  path: string;
  embeddingOrigins: readonly string[];
  /** Whether the person may take over. */
  mayControl: boolean;
  publicUrl: string;
}

/** The page that shows the browser of a run. It may be embedded. `live/run.js` does the rest. */
export function liveRunPage(options: LiveRunPageOptions): Page {
  const { applicationName, path, embeddingOrigins, mayControl, publicUrl } = options;
  const title = `Live view of an errand for ${cleanText(applicationName) || "an application"}`;
  const body = html`
<noscript><p class="live-without-script card">The live view needs JavaScript. Allow scripts for this page and reload it.</p></noscript>
<div class="live live-run" id="live" hidden data-socket="${path}/live">
<main class="live-window">
<h1 class="visually-hidden">${title}</h1>
${bar(mayControl)}
${stage(mayControl)}
${mayControl && controlNote()}
</main>
</div>`;
  return {
    html: liveLayout({ title, body, script: "/assets/live/run.js" }),
    socketOrigin: new URL(publicUrl).origin.replace(/^http/, "ws"),
    // Nobody can be tricked into using a browser that another site has put into its page.
    frameAncestors: mayControl ? ["'self'"] : ["'self'", ...embeddingOrigins],
  };
}

function bar(mayControl: boolean): Html {
  return html`<div class="live-bar">
<p class="live-run-state" id="state" role="status" data-state="waiting"><span class="live-run-dot" aria-hidden="true"></span><span id="state-text">Connecting</span></p>
<p class="live-address" id="address" hidden><span class="visually-hidden">Page URL: </span><bdi class="live-host" id="host"></bdi><bdi class="live-path" id="path"></bdi></p>
${mayControl && html`<button class="button live-run-control" id="control" type="button" hidden>Take over</button>`}
</div>`;
}

function controlNote(): Html {
  return html`<p class="live-run-note" id="control-note" role="status" hidden></p>`;
}

function stage(mayControl: boolean): Html {
  return html`<div class="live-stage" id="stage">
<canvas class="live-picture" id="picture" width="1" height="1" role="img" aria-label="What the errand’s browser shows now"></canvas>
${mayControl && html`<textarea class="live-keys" id="keys" rows="1" cols="1" tabindex="-1" aria-label="Type into the errand’s browser. Press Escape twice to leave." autocomplete="off" autocorrect="off" autocapitalize="off" spellcheck="false" data-1p-ignore data-bwignore data-lpignore="true"></textarea>`}
<section class="live-notice" id="notice" aria-live="polite" hidden>
<span class="live-spinner" id="notice-spinner" aria-hidden="true"></span>
<h2 id="notice-title"></h2>
<p id="notice-text"></p>
<div class="live-notice-actions" id="notice-actions"></div>
</section>
</div>`;
}

/** Instead of a live view that cannot be shown. */
export function liveRunEndedPage(message: string, embeddingOrigins: readonly string[]): Page {
  const body = html`
${brand()}
<h1>Nothing to watch</h1>
<p class="said">${message}</p>`;
  return { html: layout({ title: "Nothing to watch", body }), frameAncestors: ["'self'", ...embeddingOrigins] };
}
