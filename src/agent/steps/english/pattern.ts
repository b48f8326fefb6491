import { type Token, textOf } from "./clauses.ts";

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

type Slots = Readonly<Record<string, readonly Token[]>>;

const ELEMENT = /\[([^\]]+)\]|\(([^)]+)\)|\{([\w:]+)\}|(\S+)/g;

export function parsePattern(source: string): Pattern {
  const elements = [...source.matchAll(ELEMENT)].map(([, optional, group, slot, word]): Element => {
    if (slot !== undefined) return { kind: "slot", name: slot };
    const choices = (optional ?? group ?? word ?? "").split("|").map((choice) => choice.split(" "));
    return { kind: "words", choices, isOptional: optional !== undefined };
  });
  return { source, elements };
}

/** How the words of a slot are understood; null for words that cannot be. */
type Readers = Readonly<Record<string, (tokens: readonly Token[], prompt: string) => unknown>>;

type SlotOf<Source> = Source extends `${string}{${infer Slot}}${infer Rest}` ? Slot | SlotOf<Rest> : never;
type NameOf<Slot> = Slot extends `${infer Name}:${string}` ? Name : Slot;
type ReaderOf<Slot> = Slot extends `${string}:${infer Reader}` ? Reader : Slot;
type ReadSlot<Slot, R> =
  ReaderOf<Slot> extends keyof R
    ? R[ReaderOf<Slot>] extends (...input: never) => infer Result
      ? NonNullable<Result>
      : never
    : string;
type ReadSlots<Source, R> = { readonly [Slot in SlotOf<Source> as NameOf<Slot> & string]: ReadSlot<Slot, R> };

/** A sentence form and what it means. */
export interface Form<Result> {
  readonly pattern: Pattern;
  /** Null when the words do not have this form, or one of its slots is not understood. */
  read(tokens: readonly Token[], prompt: string): Result | null;
}

/**
 * Makes forms whose slots are read before `make` gets them: `{field:target}` by the reader `target`, `{target}` by the reader
 * of its own name, and any other slot as the text that it holds. Without `make`, the slots by their names are the result.
 */
export function createForms<const R extends Readers>(readers: R) {
  return <const Source extends string, Result = ReadSlots<Source, R>>(
    source: Source,
    make: (slots: ReadSlots<Source, R>, prompt: string) => Result | null = (slots) => slots as Result,
  ): Form<Result> => {
    const pattern = parsePattern(source);
    return {
      pattern,
      read(tokens, prompt) {
        const slots = matchPattern(pattern, tokens);
        if (slots === null) return null;
        const values = Object.entries(slots).map(([slot, held]) => {
          const [name = "", reader = name] = slot.split(":");
          return [name, (readers[reader] ?? textOf)(held, prompt)] as const;
        });
        return values.some(([, value]) => value === null)
          ? null
          : make(Object.fromEntries(values) as ReadSlots<Source, R>, prompt);
      },
    };
  };
}

/** What the first form that fits makes of the words; null when none does. */
export function readFirst<Result>(
  forms: readonly Form<Result>[],
  tokens: readonly Token[],
  prompt: string,
): Result | null {
  for (const form of forms) {
    const result = form.read(tokens, prompt);
    if (result !== null) return result;
  }
  return null;
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
