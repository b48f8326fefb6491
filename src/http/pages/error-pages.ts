import { html } from "../../lib/html.ts";
import { brand, layout } from "./layout.ts";
import type { Page } from "./page-response.ts";
import { cleanText, codeBlock } from "./text.ts";

export function errorPage(message: string, requestId: string): Page {
  const body = html`
${brand()}
<h1>Something went wrong</h1>
<p class="said"><bdi>${cleanText(message)}</bdi></p>
<p>Go back to the application you came from and try again. If it keeps happening, contact the application’s developer and include this request id.</p>
<p class="request-id"><span>Request id</span> <code>${requestId}</code></p>`;
  return { html: layout({ title: "Something went wrong", body }) };
}

/** For an installation whose console has not been built. */
export function consoleMissingPage(): Page {
  const body = html`
${brand()}
<h1>The console is not built yet</h1>
<p>Everything else works. Build the console where Errand is installed, then reload this page. There is no need to restart the service.</p>
${codeBlock("scripts/bootstrap")}`;
  return { html: layout({ title: "The console is not built", body }) };
}
