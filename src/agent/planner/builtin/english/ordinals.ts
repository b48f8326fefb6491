/** 1 is the first; -1 the last, -2 the one before it. */
export type Ordinal = number;

const WORDS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

const ORDINAL = new RegExp(
  `^(?:(${WORDS.join("|")}|\\d{1,4}(?:st|nd|rd|th)|last|final|bottom-?most|top-?most|second[- ]to[- ]last|second last|penultimate))\\s+(?=\\S)`,
  "i",
);

/** "2nd textbox" → 2 and "textbox". Null when it does not begin with one. */
export function takeOrdinal(text: string): { ordinal: Ordinal; rest: string } | null {
  const match = ORDINAL.exec(text);
  const word = match?.[1];
  if (match === null || word === undefined) return null;
  return { ordinal: toOrdinal(word.toLowerCase()), rest: text.slice(match[0].length) };
}

function toOrdinal(word: string): Ordinal {
  if (/^(?:last|final|bottom)/.test(word)) return -1;
  if (/^top/.test(word)) return 1;
  if (/last|penultimate/.test(word)) return -2;
  const index = WORDS.indexOf(word);
  return index >= 0 ? index + 1 : Number.parseInt(word, 10);
}

const NUMBERS = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
];

/** "two", "2", "a" → a whole number; null when it is none. */
export function readCount(text: string): number | null {
  const word = text.trim().toLowerCase();
  if (/^\d{1,6}$/.test(word)) return Number(word);
  if (/^(?:a|an|single)$/.test(word)) return 1;
  if (word === "both" || word === "a pair of") return 2;
  const index = NUMBERS.indexOf(word);
  return index < 0 ? null : index;
}
