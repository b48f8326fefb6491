import type { Quotes } from "../english/quotes.ts";
import type { Value } from "../instruction.ts";

const REMEMBERED =
  /^(?:it|this|that|them|(?:the|that|this) (?:copied |same )?(?:text|value|word|number|answer|result|code)|(?:the|that) (?:text|value) (?:you )?(?:just )?(?:copied|read|found))$/i;
const ON_PAGE =
  /^(?:the )?(?:(?:value|text|content|contents) (?:of|for|from|in|that corresponds (?:to|with)) (?:the )?(.+)|(?:text|code|word) (?:shown |displayed |given )?(?:below|above|on the (?:page|image)))$/i;
const CASE =
  /\s*\bin (?:all )?(lower|upper)[- ]?case(?: letters)?\b\s*|\s*\bin (?:all )?(?:(caps|capitals|capital letters)|(small letters))\b\s*/i;

/** "in all lower case letters" is about the value and not a part of it. */
export function takeLetterCase(text: string): { rest: string; apply: (value: string) => string } {
  const match = CASE.exec(text);
  if (match === null) return { rest: text, apply: (value) => value };
  const isUpper = match[1]?.toLowerCase() === "upper" || match[2] !== undefined;
  const rest = `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`.trim();
  return { rest, apply: (value) => (isUpper ? value.toUpperCase() : value.toLowerCase()) };
}

export function readValue(text: string, quotes: Quotes): Value {
  const plain = text.trim().replace(/^[:=]\s*/, "");
  if (REMEMBERED.test(plain)) return { from: "memory" };
  const described = ON_PAGE.exec(plain);
  if (described !== null) return { from: "page", described: quotes.reveal(described[1] ?? "") };
  const unnamed = plain.replace(
    /^(?:the|a|an) (?:text|value|word|words|number|phrase|string|message|date|time)(?: of)?\s+(?=[\uE000-\uF8FF\d])/i,
    "",
  );
  return { from: "task", text: quotes.reveal(unnamed).trim() };
}
