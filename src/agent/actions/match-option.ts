import { quote, toLettersAndDigits, toPlain } from "./plain-text.ts";

const MAX_LISTED = 30;

export type Match<Choice> =
  | { readonly kind: "one"; readonly choice: Choice }
  /** The message lists what there is. */
  | { readonly kind: "none" | "several"; readonly message: string };

/** The one choice that is meant by a label: the same words first, then the only one that begins with or contains them. */
export function matchOption<Choice extends { readonly label: string }>(
  wanted: string,
  choices: readonly Choice[],
): Match<Choice> {
  const words = toPlain(wanted);
  const tests: ((label: string) => boolean)[] = [
    (label) => label === wanted,
    (label) => toPlain(label) === words,
    (label) => toLettersAndDigits(label) !== "" && toLettersAndDigits(label) === toLettersAndDigits(wanted),
    (label) => words !== "" && toPlain(label).startsWith(words),
    (label) => words !== "" && toPlain(label).includes(words),
  ];
  for (const test of tests) {
    const [choice, ...more] = choices.filter(({ label }) => test(label));
    if (choice === undefined) continue;
    // Twins under one label cannot be told apart by it: the first is as good as any.
    if (more.every(({ label }) => label === choice.label)) return { kind: "one", choice };
    const several = `${quote(wanted)} fits several: ${list([choice, ...more])}. Name one in full.`;
    return { kind: "several", message: several };
  }
  return { kind: "none", message: `There is no option ${quote(wanted)}. There are: ${list(choices) || "none"}.` };
}

function list(choices: readonly { readonly label: string }[]): string {
  const shown = choices.slice(0, MAX_LISTED).map(({ label }) => quote(label, 60));
  const rest = choices.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
