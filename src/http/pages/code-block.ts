import { type Html, html } from "../../lib/html.ts";
import { breakable, IN_ADDRESS } from "./breakable.ts";

/** Lines to copy: one click selects them all. Long ones wrap on the screen, and not in what is copied. */
export function codeBlock(code: string): Html {
  return html`<pre class="code"><code>${breakable(code, IN_ADDRESS)}</code></pre>`;
}
