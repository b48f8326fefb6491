import { QUOTE } from "../english/quotes.ts";

interface Assignment {
  readonly value: string;
  readonly field: string;
}

const JOINT = /\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+/gi;
/** The strongest word first. All parts use the same one, or "as" before what is clearly a field. */
const WORDS = ["into|in to|inside", "in", "as", "for"];
const ASSIGNMENTS = WORDS.map(
  (word) => new RegExp(`^(.+)\\s+(?:${word}|as(?=\\s+(?:the|my|your|${QUOTE})))\\s+(.+)$`, "i"),
);

/**
 * "Jo as the name and 5 as the age" → two values with their fields. Words before the first field belong to its value and
 * words after the last one to its field; in between they could be either, so that there is no answer.
 */
export function splitAssignments(text: string): Assignment[] | null {
  for (const pattern of ASSIGNMENTS) {
    const found = splitWith(pattern, text);
    if (found !== null) return found;
  }
  return null;
}

/** "Jo as the name and 5": no value, but one with a field and another one after it. */
export function isTangled(value: string): boolean {
  return /\sas\s.*\s(?:and|&)\s/i.test(value);
}

function splitWith(pattern: RegExp, text: string): Assignment[] | null {
  const pieces = text.split(JOINT);
  const joints = [...text.matchAll(JOINT)].map(([joint]) => joint);
  const isField = pieces.map((piece) => pattern.test(piece));
  const [first, last] = [isField.indexOf(true), isField.lastIndexOf(true)];
  if (first === last || isField.slice(first, last).includes(false)) return null;
  const join = (from: number, to: number) =>
    pieces.slice(from, to).reduce((whole, piece, index) => whole + (joints[from + index - 1] ?? "") + piece);
  const parts = [join(0, first + 1), ...pieces.slice(first + 1, last), join(last, pieces.length)];
  return parts.flatMap((part) => {
    const [, value, field] = pattern.exec(part) ?? [];
    return value === undefined || field === undefined ? [] : [{ value, field }];
  });
}
