import { type Html, html } from "./html.ts";

/** Lines to copy: one click selects them all. Reachable by keyboard, because long lines scroll. */
export function codeBlock(label: string, code: string): Html {
  return html`<pre class="code" tabindex="0" role="region" aria-label="${label}"><code>${code}</code></pre>`;
}
