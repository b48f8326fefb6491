import type { Target } from "../step.ts";
import { type Token, textOf } from "./clauses.ts";
import { readTarget, splitPlace } from "./targets.ts";

export interface Pair {
  readonly target: Target;
  readonly value: string;
}

/** Words around a quoted text are not part of what is to be entered: 'the user name "jo"'. */
export function isMixed(value: readonly Token[]): boolean {
  return value.length > 1 && value.some(({ kind }) => kind === "quoted");
}

/**
 * Values and the fields that they are for: "Jo into First name and Doe into Last name". The parts are joined by "and" or a
 * comma, and each is split at its first joint. A part without one belongs to the part before.
 */
export function readPairs(
  tokens: readonly Token[],
  prompt: string,
  joints: readonly string[],
  isFieldFirst = false,
): Pair[] | null {
  const parts: Token[][] = [[]];
  for (const [index, token] of tokens.entries()) {
    const rest = tokens.slice(index + 1);
    const end = rest.findIndex(isSeparator);
    const next = end === -1 ? rest : rest.slice(0, end);
    if (isSeparator(token) && next.some(({ word }, at) => at > 0 && joints.includes(word))) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  const pairs = parts.map((part) => {
    const at = part.findIndex(({ word }) => joints.includes(word));
    const sides = [part.slice(0, Math.max(at, 0)), part.slice(at + 1)] as const;
    const [field, said] = isFieldFirst ? sides : [sides[1], sides[0]];
    const { value, area } = isFieldFirst ? splitPlace(said, prompt) : { value: said, area: {} };
    const target = field.length === 0 || value.length === 0 || isMixed(value) ? null : readTarget(field, prompt);
    const isTwice = target?.within !== undefined && "within" in area;
    return target === null || isTwice ? null : { target: { ...target, ...area }, value: textOf(value, prompt) };
  });
  return pairs.every((pair) => pair !== null) ? atOnePlace(pairs) : null;
}

/** A place at the end is the place of them all: "Jo into First name and Doe into Last name in the Profile form". */
function atOnePlace(pairs: Pair[]): Pair[] {
  const [within, ...others] = pairs.flatMap(({ target }) => target.within ?? []);
  const isAtEnd = pairs.at(-1)?.target.within !== undefined && others.length === 0;
  return within === undefined || !isAtEnd
    ? pairs
    : pairs.map(({ target, value }) => ({ target: { ...target, within }, value }));
}

function isSeparator({ word }: Token): boolean {
  return word === "and" || word === ",";
}

export function atLeastTwo(pairs: Pair[] | null): Pair[] | null {
  return pairs === null || pairs.length < 2 ? null : pairs;
}
