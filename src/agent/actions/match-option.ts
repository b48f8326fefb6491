import { quote, toLettersAndDigits, toPlain } from "./plain-text.ts";

const MAX_LISTED = 30;

export type Match<Choice> =
  | { readonly kind: "one"; readonly choice: Choice }
  /** The message lists the options. */
  | { readonly kind: "none" | "several"; readonly message: string };

interface Labelled {
  readonly label: string;
}

type Test = (label: string) => boolean;

/** The option that a label means: the same words first, then the only one that starts with or contains them. */
export function matchOption<Choice extends Labelled>(wanted: string, choices: readonly Choice[]): Match<Choice> {
  return matchInOrder(wanted, choices, [...sameWords(wanted), ...partOfWords(wanted)]);
}

/** The option with the same words. */
export function matchWords<Choice extends Labelled>(wanted: string, choices: readonly Choice[]): Match<Choice> {
  return matchInOrder(wanted, choices, sameWords(wanted));
}

function sameWords(wanted: string): Test[] {
  const letters = toLettersAndDigits(wanted);
  return [
    (label) => label === wanted,
    (label) => toPlain(label) === toPlain(wanted),
    (label) => letters !== "" && toLettersAndDigits(label) === letters,
  ];
}

function partOfWords(wanted: string): Test[] {
  const words = toPlain(wanted);
  return [
    (label) => words !== "" && toPlain(label).startsWith(words),
    (label) => words !== "" && toPlain(label).includes(words),
  ];
}

function matchInOrder<Choice extends Labelled>(
  wanted: string,
  choices: readonly Choice[],
  tests: readonly Test[],
): Match<Choice> {
  for (const test of tests) {
    const [choice, ...more] = choices.filter(({ label }) => test(label));
    if (choice === undefined) continue;
    // Options with the same label cannot be told apart: the first is as good as any.
    if (more.every(({ label }) => label === choice.label)) return { kind: "one", choice };
    const several = `${quote(wanted)} matches several options: ${list([choice, ...more])}. Use a full name.`;
    return { kind: "several", message: several };
  }
  return { kind: "none", message: `There is no option ${quote(wanted)}. Available: ${list(choices) || "none"}.` };
}

function list(choices: readonly Labelled[]): string {
  const shown = choices.slice(0, MAX_LISTED).map(({ label }) => quote(label, 60));
  const rest = choices.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
