import { tokenize } from "../../recipes/template.ts";

/** Where a text is in the prompt. */
export interface PromptPlace {
  readonly start: number;
  readonly end: number;
}

/** Why something cannot become a recipe. The message is for people. */
export class NotLearnable extends Error {
  override readonly name = "NotLearnable";
}

/** The places of a text in the prompt, as whole words and without regard to case. */
export function findInPrompt(text: string, prompt: string): PromptPlace[] {
  const wanted = tokenize(text).map((token) => token.text);
  if (wanted.length === 0) return [];
  const tokens = tokenize(prompt);
  return tokens.flatMap((first, at) => {
    const isHere = wanted.every((word, index) => tokens[at + index]?.text === word);
    const last = tokens[at + wanted.length - 1];
    return isHere && last !== undefined ? [{ start: first.start, end: last.end }] : [];
  });
}

export function isInPrompt(text: string, prompt: string): boolean {
  return findInPrompt(text, prompt).length > 0;
}

/** The longest run of words of the text that the prompt has too, with at least one letter or digit; null without one. */
export function findSharedWords(text: string, prompt: string): string | null {
  const tokens = tokenize(text);
  for (let length = tokens.length; length > 0; length--) {
    for (let at = 0; at + length <= tokens.length; at++) {
      const part = text.slice(tokens[at]?.start, tokens[at + length - 1]?.end);
      if (/[\p{L}\p{N}]{2}/u.test(part) && isInPrompt(part, prompt)) return part;
    }
  }
  return null;
}
