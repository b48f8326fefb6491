import { type Html, html } from "../../lib/html.ts";

/** A long name that may go on in the next line where it has a joint, and only else anywhere. */
export function breakable(text: string, joint: RegExp): Html[] {
  return text.split(joint).map((part) => html`${part}<wbr>`);
}

export const IN_ADDRESS = /(?<=[/?&])/;
export const AFTER_DOT = /(?<=\.)/;
export const BEFORE_AT = /(?=@)/;
