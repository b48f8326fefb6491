import type { Step } from "../step.ts";
import type { Token } from "./clauses.ts";

/** Values and the fields that they are for: "Jo into First name and Doe into Last name". */
type Pair = readonly [Token[], Token[]];

export function toSteps(pairs: readonly Pair[] | null, toStep: (pair: Pair) => Step | null): Step[] | null {
  const steps = pairs?.map(toStep) ?? [];
  return steps.length > 0 && steps.every((step) => step !== null) ? steps : null;
}

/** Parts that are joined by "and" or a comma, each split at its first joint. A part without one belongs to the part before. */
export function splitPairs(tokens: readonly Token[], joints: ReadonlySet<string>): Pair[] | null {
  const parts: Token[][] = [];
  for (const part of splitAt(tokens, isJoint, true)) {
    const isPair = part.some((token, index) => joints.has(token.word) && index > 0);
    if (isPair || parts.length === 0) parts.push(part.filter((token, index) => index > 0 || !isJoint(token)));
    else parts.at(-1)?.push(...part);
  }
  const pairs = parts.map((part) => {
    const at = part.findIndex((token) => joints.has(token.word));
    return at < 1 || at === part.length - 1 ? null : ([part.slice(0, at), part.slice(at + 1)] as const);
  });
  return pairs.every((pair) => pair !== null) ? pairs : null;
}

function isJoint({ word }: Token): boolean {
  return word === "and" || word === ",";
}

/** With `keep`, the separator begins the next part. */
export function splitAt(tokens: readonly Token[], separates: (token: Token) => boolean, keep = false): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (separates(token)) parts.push(keep ? [token] : []);
    else parts.at(-1)?.push(token);
  }
  return parts.filter(({ length }) => length > 0);
}

/** Words around a quoted text are not part of what is to be entered: 'the user name "jo"'. */
export function isMixed(value: readonly Token[]): boolean {
  return value.length > 1 && value.some(({ kind }) => kind === "quoted");
}
