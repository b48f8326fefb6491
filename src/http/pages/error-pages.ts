import { html } from "../../lib/html.ts";
import { brand, layout } from "./layout.ts";
import type { Page } from "./page-response.ts";
import { cleanText, codeBlock } from "./text.ts";

export function errorPage(message: string, requestId: string): Page {
  const body = html`
${brand()}
<h1>This did not work</h1>
<p class="said"><bdi>${cleanText(message)}</bdi></p>
<p>Please go back to the application you came from and try again. If it happens again, tell the people behind it and give them this id.</p>
<p class="request-id"><span>Request id</span> <code>${requestId}</code></p>`;
  return { html: layout({ title: "This did not work", body }) };
}

/** For a checkout whose console was not built, or could not be. */
export function consoleMissingPage(): Page {
  const body = html`
${brand()}
<h1>The console is not built yet</h1>
<p>Everything else works. Build it where Errand is installed, then load this page again; the service can go on running.</p>
${codeBlock("scripts/bootstrap")}`;
  return { html: layout({ title: "The console is not built", body }) };
}
