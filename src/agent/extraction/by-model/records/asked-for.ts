import { readCount } from "../../../planner/builtin/english/ordinals.ts";
import type { Task } from "../../../planner/planner.ts";
import { parseAmount, parseAmounts } from "../../values/amount.ts";
import { locateQuote } from "../grounding/locate-quote.ts";

const TENS = ["ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred"];

/** Whether the caller's own words ask for it: no page and no model can leave rows out by itself. */
export function isAskedFor(words: string, { prompt, outputSchema }: Task): boolean {
  const said = `${prompt} ${stringsOf(outputSchema).join(" ")}`.replace(/\s+/g, " ");
  return /[\p{L}\p{N}]/u.test(words) && locateQuote(said, words).length > 0;
}

/** Whether the words name this number, in digits or in letters. */
export function namesNumber(words: string, wanted: number): boolean {
  const inDigits = [parseAmount(words), ...parseAmounts(words)].some((amount) => amount?.value === wanted);
  return inDigits || words.split(/[^\p{L}\d]+/u).some((word) => readNumber(word) === wanted);
}

function readNumber(word: string): number | null {
  if (word === "a" || word === "an" || word === "") return null;
  const tens = TENS.indexOf(word.toLowerCase());
  return tens === -1 ? readCount(word) : (tens + 1) * 10;
}

/** Everything that the caller has written in the schema. */
function stringsOf(schema: unknown): string[] {
  const strings: string[] = [];
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === "string") strings.push(part);
    else if (typeof part === "object" && part !== null) waiting.push(...Object.values(part));
  }
  return strings.toReversed();
}
