import { html } from "../../lib/html.ts";
import { codeBlock } from "./code-block.ts";
import { layout } from "./layout.ts";
import { brand } from "./mark.ts";
import type { Page } from "./send-page.ts";

/** For a checkout whose console was not built, or could not be. */
export function consoleMissingPage(): Page {
  const body = html`
${brand()}
<h1>The console is not built yet</h1>
<p>Everything else works. Build it where Errand is installed, then load this page again; the service can go on running.</p>
${codeBlock("scripts/bootstrap")}`;
  return { html: layout({ title: "The console is not built", body }) };
}
