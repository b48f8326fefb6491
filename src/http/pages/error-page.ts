import { html } from "../../lib/html.ts";
import { cleanText } from "./foreign-text.ts";
import { layout } from "./layout.ts";
import { brand } from "./mark.ts";
import type { Page } from "./send-page.ts";

export function errorPage(message: string, requestId: string): Page {
  const body = html`
${brand()}
<h1>This did not work</h1>
<p class="said"><bdi>${cleanText(message)}</bdi></p>
<p>Please go back to the application you came from and try again. If it happens again, tell the people behind it and give them this id.</p>
<p class="request-id"><span>Request id</span> <code>${requestId}</code></p>`;
  return { html: layout({ title: "This did not work", body }) };
}
