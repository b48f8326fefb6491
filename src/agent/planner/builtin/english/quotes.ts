/** English with its quotations taken out: each stands as one character, so that no rule ever looks inside one. */
interface Quoted {
  readonly text: string;
  readonly quotes: Quotes;
}

export class Quotes {
  readonly #texts: string[] = [];

  hide(text: string): string {
    if (this.#texts.length >= MAX_QUOTES) return text;
    this.#texts.push(text);
    return String.fromCharCode(FIRST + this.#texts.length - 1);
  }

  /** The text as it was written, without the quotation marks. */
  reveal(text: string): string {
    return text.replace(PLACEHOLDER_ALL, (mark) => this.#texts[mark.charCodeAt(0) - FIRST] ?? "");
  }
}

/** A quotation in a pattern. */
export const QUOTE = "[\\uE000-\\uF8FF]";

const FIRST = 0xe000;
const MAX_QUOTES = 0x1900;
const PLACEHOLDER_ALL = /[\uE000-\uF8FF]/g;

/** An apostrophe opens a quotation only where a word could begin, and closes one only where a word could end. */
const QUOTATION = /"([^"]*)"|“([^”]*)”|«([^»]*)»|`([^`]*)`|(?<=^|[\s(:=>,])['‘]([^'’\n]+?)['’](?=$|[\s).,;:!?<>])/g;

export function hideQuotes(prompt: string): Quoted {
  const quotes = new Quotes();
  // Long runs of spaces would make the patterns of the readers slow.
  const clean = prompt
    .replace(PLACEHOLDER_ALL, "")
    .replace(/[^\S\n]+/g, " ")
    .replace(/\n[\n ]*/g, "\n");
  const text = clean.replace(QUOTATION, (_match, ...groups: (string | undefined)[]) =>
    quotes.hide(groups.slice(0, 5).find((group) => group !== undefined) ?? ""),
  );
  return { text, quotes };
}

export function isQuotation(text: string): boolean {
  return text.length === 1 && text >= "\uE000" && text <= "\uF8FF";
}
