import { labelOf, type ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { parseAmount, parseAmounts } from "../grounding/amounts.ts";
import { findDates } from "../grounding/dates.ts";
import { stemNoun } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { isOfAnother } from "./other-values.ts";

const MAX_LINE = 2_000;

const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
/** Says how many, and not exactly. */
const VAGUE_WORDS = new Set("several few couple many dozen dozens hundreds thousands numerous various some".split(" "));

/** "more than 6", "6 of 8": not just that many. "Up to 6" is how many there can be. */
const VAGUE_BEFORE =
  /(?:\b(?:than|least|most|over|under|about|around|nearly|almost|approximately|roughly|some|no|not|without)|\d of)$/i;

/** "6", "1,200" and "six"; null for what is not a single number. */
export function toNumber(text: string): number | null {
  const at = NUMBER_WORDS.indexOf(text.toLowerCase());
  if (text.startsWith("about ")) return null;
  return at === -1 ? (parseAmount(text)?.value ?? null) : at;
}

/** The numbers, in digits or words, that are right before the noun or right after the verb. "6–8" and "several" count too. */
export function findNumbers(line: string, noun: string, verb: string | null): string[] {
  const words = line.slice(0, MAX_LINE).split(/\s+/);
  const [wanted, done] = [stemNoun(noun), verb === null ? null : stemNoun(verb)];
  return words.flatMap((word, index) => {
    const number = readQuantity(word);
    if (number === null) return [];
    const after = [words[index + 1], words[index + 2]].map((next) => stemNoun(next ?? ""));
    const before = [words[index - 1], words[index - 3]].map((previous) => stemNoun(previous ?? ""));
    const isOfNoun = after[0] === wanted || (after[1] === wanted && !/[,.;]$/.test(words[index + 1] ?? ""));
    const isOfVerb =
      done !== null && (before[0] === done || (before[1] === done && /^up$/i.test(words[index - 2] ?? "")));
    return isOfNoun || isOfVerb
      ? [VAGUE_BEFORE.test(words.slice(0, index).slice(-2).join(" ")) ? `about ${number}` : number]
      : [];
  });
}

function readQuantity(word: string): string | null {
  const plain = word.replace(/^\(|[).,;:]+$/g, "");
  const isWord = /^[a-z-]+$/i.test(plain) && plain.toLowerCase().split("-").some(isQuantityWord);
  return isWord || /^\d[\d.,]*(?:[-–—/]\d[\d.,]*)?\+?$/.test(plain) ? plain : null;
}

const TENS =
  /^(?:(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand)$/;

function isQuantityWord(word: string): boolean {
  return NUMBER_WORDS.includes(word) || VAGUE_WORDS.has(word) || TENS.test(word);
}

const JOINT = new Set(["is", "was", "are", "were", ":", "=", "#"]);
/** A statement that begins so says what the value is not, or nothing yet. */
const NO_VALUE =
  /^(?:not|no|never|n['’]t|being|still|now|required|missing|unknown|invalid|wrong|too|also|only|used|needed)\b/i;
const MAX_VALUE_WORDS = 6;

/** "The price was €50. Now it is €40." */
function isOver(line: string): boolean {
  return /\bw(?:as|ere)\b/i.test(line) && /\b(?:now|today|currently|until|before|previously|originally)\b/i.test(line);
}

/** Whether a value is only the beginning of what a sentence says, "€50" of "€50 per month", or is said of the past. */
export function isPartOfSentence(value: string, sentence: string): boolean {
  const rest = sentence.slice(sentence.indexOf(value) + value.length);
  const isCut = /^[^\p{L}]+$/u.test(value) && /^\s\p{L}/u.test(rest);
  return isOver(sentence) || (isCut && !/^\s(?:and|but|which|because|so)\b/i.test(rest));
}

/**
 * The values that a line states for a label: the rest of the sentence after "number is" or "number:", or the number or code
 * right after it.
 */
export function findStatements(line: string, label: string): string[] {
  const words = line.slice(0, MAX_LINE).split(/\s+/);
  const wanted = stemNoun(label).split(" ");
  return words.flatMap((_, index) => {
    const isMention =
      wanted.every((word, offset) => stemNoun(words[index + offset] ?? "") === word) &&
      !isOfAnother(words[index - 1] ?? "", stemNoun(label));
    const value = isMention && !isOver(line) ? readValueAt(words, index + wanted.length) : null;
    return value === null ? [] : [value];
  });
}

/** The value that follows a label which ends before this word. */
function readValueAt(words: readonly string[], end: number): string | null {
  const isJoined = /[:=#]$/.test(words[end - 1] ?? "");
  if (!isJoined && /[.!?,;]$/.test(words[end - 1] ?? "")) return null;
  const hasJoint = JOINT.has((words[end] ?? "").toLowerCase());
  if (!isJoined && !hasJoint) return readCode(words[end]);
  const value = readRest(words.slice(hasJoint ? end + 1 : end));
  // "The price is subject to change" states no value; "The captain is Ines Vogel" does.
  return value === null || isJoined || /\d|^["“]?\p{Lu}/u.test(value) ? value : null;
}

/** Up to the end of the sentence or of its part. */
function readRest(words: readonly string[]): string | null {
  const end = words.findIndex((word) => /[.!?;,]$/.test(word));
  const own = end === -1 ? words : words.slice(0, end + 1);
  if (own.some((word, index) => index > 0 && /:$/.test(word))) return readTyped(own.join(" "));
  const joint = own.findIndex((word) => /^(?:and|but|which|because|so)$/i.test(word));
  const value = withoutMarks((joint === -1 ? own : own.slice(0, joint)).join(" "));
  const isShort = value !== "" && value.split(" ").length <= MAX_VALUE_WORDS;
  return isShort && !NO_VALUE.test(value) ? value : null;
}

/** Lines that ran together, "2026-03-20 Reference: RF18": only a date or an amount at the beginning is certain. */
export function readTyped(text: string): string | null {
  const values = [findDates(text)[0]?.quote, parseAmounts(text)[0]?.quote];
  return values.find((value) => value !== undefined && text.startsWith(value)) ?? null;
}

function readCode(word: string | undefined): string | null {
  const code = withoutMarks(word ?? "");
  return /\d/.test(code) ? code : null;
}

function withoutMarks(text: string): string {
  return text.replace(/^[("“#]+/, "").replace(/[\s.,;:!?)"”]+$/, "");
}

const LINES = new Set(
  "paragraph listitem cell gridcell heading term definition text blockquote caption alert status".split(" "),
);

/** The texts of the page as a person sees them: one for each paragraph, cell or item. */
export function linesOf(root: ObservedNode): string[] {
  const lines: string[] = [];
  const visit = (node: ObservedNode): void => {
    const isLine =
      LINES.has(node.role) &&
      !node.children.some((child) => child.role === "list" || child.role === "table" || child.role === "paragraph");
    if (isLine || node.children.length === 0) {
      const text = collapseWhitespace(readText(node) || labelOf(node));
      if (text !== "") lines.push(text);
      return;
    }
    for (const child of node.children) visit(child);
  };
  visit(root);
  return lines;
}
