import type { Token } from "./clauses.ts";

/**
 * A sentence form, such as "(click|press) [on] {target}": words, alternatives in round brackets, optional words in square
 * brackets, slots in braces. A slot takes at least one token, and as few as possible.
 */
export interface Pattern {
  readonly source: string;
  readonly elements: readonly Element[];
}

type Element =
  | { readonly kind: "words"; readonly choices: readonly (readonly string[])[]; readonly isOptional: boolean }
  | { readonly kind: "slot"; readonly name: string };

export type Slots = Readonly<Record<string, readonly Token[]>>;

const ELEMENT = /\[([^\]]+)\]|\(([^)]+)\)|\{(\w+)\}|(\S+)/g;

export function parsePattern(source: string): Pattern {
  const elements = [...source.matchAll(ELEMENT)].map(([, optional, group, slot, word]): Element => {
    if (slot !== undefined) return { kind: "slot", name: slot };
    const choices = (optional ?? group ?? word ?? "").split("|").map((choice) => choice.split(" "));
    return { kind: "words", choices, isOptional: optional !== undefined };
  });
  return { source, elements };
}

/** The words that a clause of this form can begin with. */
export function firstWords({ elements }: Pattern): string[] {
  const words: string[] = [];
  for (const element of elements) {
    if (element.kind === "slot") break;
    words.push(...element.choices.map(([first = ""]) => first));
    if (!element.isOptional) break;
  }
  return words;
}

/** What the slots hold when the whole clause has this form; null when it has not. */
export function matchPattern({ elements }: Pattern, tokens: readonly Token[]): Slots | null {
  return matchFrom(elements, 0, tokens, 0, {});
}

function matchFrom(
  elements: readonly Element[],
  index: number,
  tokens: readonly Token[],
  at: number,
  slots: Slots,
): Slots | null {
  const element = elements[index];
  if (element === undefined) return at === tokens.length ? slots : null;
  if (element.kind === "slot") {
    const isLast = index === elements.length - 1;
    for (let end = isLast ? tokens.length : at + 1; end <= tokens.length; end++) {
      if (end === at) return null;
      const found = matchFrom(elements, index + 1, tokens, end, { ...slots, [element.name]: tokens.slice(at, end) });
      if (found !== null) return found;
    }
    return null;
  }
  for (const choice of element.choices) {
    if (!choice.every((word, offset) => tokens[at + offset]?.word === word)) continue;
    const found = matchFrom(elements, index + 1, tokens, at + choice.length, slots);
    if (found !== null) return found;
  }
  return element.isOptional ? matchFrom(elements, index + 1, tokens, at, slots) : null;
}
