import { type Html, html } from "../../lib/html.ts";

const MAX_LENGTH = 300;

/** Text that an application's owner chose, shown so that it keeps to itself: its reading direction ends with it. */
export function untrustedText(text: string): Html {
  return html`<bdi>${cleanText(text)}</bdi>`;
}

/** On one line, without anything that reorders, hides or smears over what stands beside it. */
export function cleanText(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    // What nobody sees, but for the joiners and the emoji selector that scripts and emoji need.
    .replace(/(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    // Piled-up marks grow out of their line. No language needs more than four.
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .trim();
  const characters = [...clean];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…` : clean;
}

/** A long name that may go on in the next line where it has a joint, and only else anywhere. */
export function withBreaks(text: string, joint: RegExp): Html[] {
  return text.split(joint).map((part) => html`${part}<wbr>`);
}

export const AFTER_URL_DELIMITER = /(?<=[/?&])/;
export const AFTER_DOT = /(?<=\.)/;
export const BEFORE_AT = /(?=@)/;

/** Lines to copy: one click selects them all. Long ones wrap on the screen, and not in what is copied. */
export function codeBlock(code: string): Html {
  return html`<pre class="code"><code>${withBreaks(code, AFTER_URL_DELIMITER)}</code></pre>`;
}
