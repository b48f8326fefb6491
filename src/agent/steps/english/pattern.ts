import type { Token } from "./clauses.ts";

/**
 * A sentence form, such as "(click|press) [on] {target}": words, alternatives in round brackets, optional words in square
 * brackets, slots in braces. A slot takes at least one token, and as few as possible.
 */
export interface Pattern {
  readonly source: string;
  readonly elements: readonly Element[];
}

interface Words {
  readonly kind: "words";
  readonly choices: readonly (readonly string[])[];
  readonly isOptional: boolean;
}

type Element = Words | { readonly kind: "slot"; readonly name: string };

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
  const match: Match = { elements, tokens, ends: [], failedAt: [] };
  if (!matchFrom(match, 0, 0)) return null;
  const slots: Record<string, readonly Token[]> = {};
  for (const [index, element] of elements.entries()) {
    const [start, end] = match.ends[index] ?? [0, 0];
    if (element.kind === "slot") slots[element.name] = tokens.slice(start, end);
  }
  return slots;
}

interface Match {
  readonly elements: readonly Element[];
  readonly tokens: readonly Token[];
  /** What each slot takes: from, to. */
  readonly ends: [number, number][];
  /** Where each slot failed to begin. One that begins later has fewer ways to go on, so time grows with the tokens only. */
  readonly failedAt: number[];
}

function matchFrom(match: Match, index: number, at: number): boolean {
  const element = match.elements[index];
  if (element === undefined) return at === match.tokens.length;
  return element.kind === "slot" ? matchSlot(match, index, at) : matchWords(element, match, index, at);
}

function matchSlot(match: Match, index: number, at: number): boolean {
  const { elements, tokens, ends, failedAt } = match;
  if (at >= (failedAt[index] ?? tokens.length)) return false;
  const isLast = index === elements.length - 1;
  for (let end = isLast ? tokens.length : at + 1; end <= tokens.length; end++) {
    ends[index] = [at, end];
    if (matchFrom(match, index + 1, end)) return true;
  }
  failedAt[index] = at;
  return false;
}

function matchWords(element: Words, match: Match, index: number, at: number): boolean {
  const isThere = (choice: readonly string[]) =>
    choice.every((word, offset) => match.tokens[at + offset]?.word === word);
  return (
    element.choices.some((choice) => isThere(choice) && matchFrom(match, index + 1, at + choice.length)) ||
    (element.isOptional && matchFrom(match, index + 1, at))
  );
}
