import { findVerbatim, foldText } from "./find-verbatim.ts";

const NUMBER = /\d+(?:[.,:]\d+)*/g;
const MAX_OPERANDS = 40;

/**
 * A number of the answer that comes out of nowhere: it stands in none of the texts, is not what two of their numbers make
 * together, not the sum of all facts, and no count. Null when there is none.
 */
export function findUnstatedNumber(
  answer: string,
  texts: readonly string[],
  facts: readonly string[],
  counts: readonly number[],
): string | null {
  const stated = texts.join("\n");
  const folded = foldText(stated);
  const numbers = facts.flatMap((text) => [...text.matchAll(NUMBER)].flatMap(([token]) => readingsOf(token)));
  const known = new Set(
    [...counts, ...numbersIn(stated), ...derive(numbers.slice(0, MAX_OPERANDS)), sumOfFirsts(facts)].map(round),
  );
  // The numbers in front of the items of a list say nothing.
  const plain = answer.replace(/^[^\S\n]*\d+[.)]\s/gm, "");
  for (const token of new Set(plain.match(NUMBER))) {
    if (readingsOf(token).some((value) => known.has(round(value)))) continue;
    if (findVerbatim(stated, token, folded) === null) return token;
  }
  return null;
}

function numbersIn(text: string): number[] {
  return [...text.matchAll(NUMBER)].flatMap(([token]) => readingsOf(token));
}

/** "1.299" is either of two numbers. */
function readingsOf(token: string): number[] {
  const plain = [token.replaceAll(",", ""), token.replaceAll(".", "").replace(",", ".")];
  return [...new Set(plain.map(Number))].filter(Number.isFinite);
}

function derive(numbers: readonly number[]): number[] {
  return numbers.flatMap((one, index) =>
    numbers.filter((_, other) => other !== index).flatMap((other) => [one + other, one - other, one * other]),
  );
}

function sumOfFirsts(facts: readonly string[]): number {
  return facts.reduce((sum, text) => sum + (numbersIn(text)[0] ?? 0), 0);
}

function round(value: number): number {
  return Math.round(value * 100);
}
