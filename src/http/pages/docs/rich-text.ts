import { type Html, html } from "../../../lib/html.ts";

/** The little Markdown that descriptions use: `code`. */
export function richText(text: string): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
