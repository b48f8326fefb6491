const NAME = "(?:pass ?(?:word|phrase|code)|pin(?: code)?|secret|one-time code|otp)";
const QUOTED = new RegExp(
  `\\b${NAME}\\b[^\\n"'“‘\`]{0,12}(?:"([^"\\n]+)"|“([^”\\n]+)”|‘([^’\\n]+)’|\`([^\`\\n]+)\`|'([^'\\n]+)')`,
  "gi",
);
const ASSIGNED = new RegExp(`\\b${NAME}\\s*(?:[:=]|\\bis\\b|\\bto\\b)\\s*([^\\s"'“‘\`]\\S*)`, "gi");
/** A pin and a secret may be of another sort: those have a digit. */
const FOLLOWING = new RegExp(
  `(?:\\b(?:with|and|using|the|my)|[,/])\\s+(?:the |my )?(?:pass ?(?:word|phrase|code)|${NAME}(?=\\s\\S*\\d))\\s+([^\\s"'“‘\`:=]\\S*)`,
  "gi",
);
/** "alice@example.com / s3cret" */
const BESIDE_EMAIL = /\S+@\S+\.[a-z]+\s*[/:|]\s*(\S+)/gi;
/** What follows the word "password" without being one. */
const ORDINARY =
  /^(?:a|above|again|and|as|at|below|box|button|by|changed?|correct|dialog|expired|field|for|form|from|has|hint|in|incorrect|into|is|it|item|link|manager|my|of|on|or|page|policy|protected|recovery|required|requirements|reset|section|settings?|something|strength|that|the|then|this|to|was|which|with|wrong|your)$/i;

/**
 * The secrets that a task brings. A model gets names for them to work with; what they stand for is put in where a page
 * asks for a secret, after the model has decided. What a model has never heard no page can talk out of it.
 */
export class TaskSecrets {
  readonly #values: readonly string[];
  /** The prompt with names in place of the secrets. */
  readonly prompt: string;

  constructor(prompt: string) {
    this.#values = findSecrets(prompt);
    this.prompt = this.hide(prompt);
  }

  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  hide(text: string): string {
    return this.#values.reduce((hidden, value, index) => replaceWhole(hidden, value, nameOf(index)), text);
  }

  /** Whether a text speaks of one of the secrets by its name. */
  names(text: string): boolean {
    return this.#values.some((_, index) => text.includes(nameOf(index)));
  }

  reveal(text: string): string {
    return this.#values.reduce((revealed, value, index) => revealed.replaceAll(nameOf(index), value), text);
  }
}

/** Not where it is only a part of a longer word. */
function replaceWhole(text: string, value: string, name: string): string {
  const pieces = text.split(value);
  return pieces.reduce((before, after) => {
    const isPart = /\w$/.test(before) && /^\w/.test(value);
    const runsOn = /\w$/.test(value) && /^\w/.test(after);
    return `${before}${isPart || runsOn ? value : name}${after}`;
  });
}

function nameOf(index: number): string {
  return `[secret-${index + 1}]`;
}

function findSecrets(prompt: string): string[] {
  const found = [QUOTED, ASSIGNED, FOLLOWING, BESIDE_EMAIL].flatMap((pattern) =>
    [...prompt.matchAll(pattern)].flatMap((match) => match.slice(1).filter((value) => value !== undefined)),
  );
  const values = found
    .map((value) => value.replace(/[.,;)]+$/, ""))
    .filter((value) => value.length > 1 && !ORDINARY.test(value));
  // A secret that is a part of another one must not break it up.
  return [...new Set(values)].toSorted((one, other) => other.length - one.length);
}
