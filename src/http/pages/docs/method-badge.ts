import { type Html, html } from "../../../lib/html.ts";

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}
