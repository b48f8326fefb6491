import { type Html, html } from "../../lib/html.ts";

const MAX_LENGTH = 300;

/** Text that an application's owner chose, isolated so that its reading direction does not affect the text around it. */
export function untrustedText(text: string): Html {
  return html`<bdi>${cleanText(text)}</bdi>`;
}

/** On one line, without characters that reorder, hide or overlap the text around it. */
export function cleanText(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    // Invisible characters, except the joiners and the emoji selector that scripts and emoji need.
    .replace(/(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    // Stacked marks grow out of their line. No language needs more than four.
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .trim();
  const characters = [...clean];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…` : clean;
}

/** Lets a long name wrap at the given positions. */
export function withBreaks(text: string, position: RegExp): Html[] {
  return text.split(position).map((part) => html`${part}<wbr>`);
}

const AFTER_URL_DELIMITER = /(?<=[/?&])/;
export const AFTER_DOT = /(?<=\.)/;
export const BEFORE_AT = /(?=@)/;

/** Lines to copy: one click selects them all. Long lines wrap on the screen but not in the copied text. */
export function codeBlock(code: string): Html {
  return html`<pre class="code"><code>${withBreaks(code, AFTER_URL_DELIMITER)}</code></pre>`;
}
