import { hostPatternsOf, isOnHosts } from "../lib/hosts.ts";

const PASSWORD = "(?:pass ?(?:word|phrase|code)|passwd|pwd?)";
/** These words often mean something else: "the secret to happiness", "pin it". */
const DOUBTFUL = "(?:pin(?: code)?|secret|one-time code|otp|token|api[- ]?key)";
const NAME = `(?:${PASSWORD}|${DOUBTFUL})`;
/** Every repetition is bounded, here and below: a prompt may be long, and crafted to be slow to match. */
const VALUE = "([^\\s\"'“‘`:=]\\S{0,199})";
const QUOTED = new RegExp(
  `\\b${NAME}\\b[^\\n"'“‘\`]{0,12}(?:"([^"\\n]{1,200})"|“([^”\\n]{1,200})”|‘([^’\\n]{1,200})’|\`([^\`\\n]{1,200})\`|'([^'\\n]{1,200})')`,
  "gi",
);
const ASSIGNED = new RegExp(
  `\\b(?:${PASSWORD}\\s{0,9}(?:[:=]|\\bis\\b|\\bto\\b)|${DOUBTFUL}\\s{0,9}(?:[:=]|\\bis\\b))\\s{0,9}${VALUE}`,
  "gi",
);
const FOLLOWING = new RegExp(
  `(?:\\b(?:with|and|using|the|my)|[,/])\\s{1,9}(?:the |my )?(?:${PASSWORD}|${NAME}(?=\\s\\S{0,199}\\d))\\s{1,9}${VALUE}`,
  "gi",
);
/** Abbreviations with no other meaning; the other words only before something with letters and digits. */
const ABBREVIATED = new RegExp(
  `\\b(?:(?:pwd?|passwd)|(?:${PASSWORD}|token|api[- ]?key)(?=\\s\\S{0,99}\\d)(?=\\s\\S{0,99}\\p{L}))\\s${VALUE}`,
  "giu",
);
const IN_URL = /:\/\/[^\s/?#@:]{0,99}:([^\s/?#]{1,200})@/g;
/** "alice@example.com / s3cret", "alice@example.com and s3cret" */
const BESIDE_EMAIL =
  /(?<!\S)[^\s@]{1,64}@[^\s@/:|,]{1,255}(?:\s{0,3}[/|,]\s{0,3}|:|\s{1,3}(?:and|with|using)\s{1,3})(\S{1,200})/g;
/** "Log in as alice with s3cret" */
const BESIDE_NAME =
  /\b(?:(?:sign|log)[\s-]?(?:in|on)\s(?:as|with|using)|credentials(?:\sare|:))\s\S{1,99}?(?:\s?[/|,:]\s?|\s(?:and|with|using)\s)(\S{1,200})/gi;
const MENTIONS_ACCOUNT = /\b(?:(?:sign|log)(?:ged|ging|ning)?[\s-]?(?:in|on|up|into)|account|credentials|register)\b/i;
/** Words that follow the word "password" without being one. */
const ORDINARY =
  /^(?:a|above|again|and|as|at|below|box|button|by|changed?|correct|dialog|expired|field|for|form|from|has|hint|in|incorrect|into|invalid|is|it|item|link|manager|missing|my|of|on|or|page|policy|protected|recovery|required|requirements|reset|section|set|settings?|something|strength|that|the|then|this|to|valid|was|which|with|wrong|your)$/i;

/**
 * The secrets in a task. A model gets placeholders for them. They are replaced by the secrets only where a page asks for a
 * secret, after the model has decided: no page can talk a model out of what it has never seen. They belong to the host of
 * the start page and to the hosts that the prompt names, and are entered nowhere else.
 */
export class TaskSecrets {
  readonly #given: string;
  readonly #values: string[];
  readonly #hosts: readonly string[];
  /** The prompt with placeholders instead of the secrets. */
  readonly prompt: string;

  constructor(prompt: string, startUrl: string | null = null) {
    this.#given = prompt;
    this.#values = findSecrets(prompt);
    this.prompt = this.hide(prompt);
    this.#hosts = hostPatternsOf([startUrl, ...findNamedUrls(this.prompt)]);
  }

  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  /** Adds one that a person has given during the run. Returns its placeholder. */
  add(value: string): string {
    if (!this.#values.includes(value)) this.#values.push(value);
    return nameOf(this.#values.indexOf(value));
  }

  hide(text: string): string {
    return this.#values.reduce((hidden, value, index) => replaceWhole(hidden, value, nameOf(index)), text);
  }

  /** Whether a text contains the placeholder of one of the secrets. */
  names(text: string): boolean {
    return this.#values.some((_, index) => text.includes(nameOf(index)));
  }

  /** Whether a text may be entered on a page with this URL. Everything for a masked field counts as a secret. */
  mayEnter(text: string, url: string, isMasked: boolean): boolean {
    const isSecret = this.hide(text) !== text || (isMasked && text !== "" && this.#given.includes(text));
    return !isSecret || isOnHosts(this.#hosts, url);
  }

  reveal(text: string): string {
    return this.#values.reduce((revealed, value, index) => revealed.replaceAll(nameOf(index), value), text);
  }
}

const FULL_URL = /\bhttps?:\/\/[^\s"'“”‘’`<>]{1,2000}/gi;
/** A host without "https://". The host of an email address is not the name of a site. */
const BARE_HOST =
  /(?<![\p{L}\p{N}@./:_-])(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,9}\p{L}{2,24})(?::\d{1,5})?(?![\p{L}\p{N}@_-])/giu;

function findNamedUrls(prompt: string): string[] {
  const full = [...prompt.matchAll(FULL_URL)].map(([url]) => url.replace(/[.,;:!?)\]]+$/, ""));
  const bare = [...prompt.matchAll(BARE_HOST)].map(([host]) => `http://${host}`);
  return [...full, ...bare];
}

/** Not where the value is only part of a longer word. */
function replaceWhole(text: string, value: string, name: string): string {
  return text.replaceAll(value, (_, at: number) => {
    const runsOn = [at, at + value.length].some((edge) => edge > 0 && /^\w\w$/.test(text.slice(edge - 1, edge + 1)));
    return runsOn ? value : name;
  });
}

function nameOf(index: number): string {
  return `[secret-${index + 1}]`;
}

function findSecrets(prompt: string): string[] {
  const called = find(prompt, [QUOTED, ASSIGNED, FOLLOWING, ABBREVIATED, IN_URL]).filter(
    (value) => value.length > 1 && !ORDINARY.test(value.replace(":", "")),
  );
  // A value that is not called a secret counts only if it looks like one and the prompt mentions an account.
  const guessed = MENTIONS_ACCOUNT.test(prompt) ? find(prompt, [BESIDE_EMAIL, BESIDE_NAME]).filter(looksSecret) : [];
  // Longest first: a secret that is part of another one must not break it up.
  return [...new Set([...called, ...guessed])].toSorted((one, other) => other.length - one.length);
}

function find(prompt: string, patterns: readonly RegExp[]): string[] {
  return patterns
    .flatMap((pattern) => [...prompt.matchAll(pattern)].flatMap((match) => match.slice(1)))
    .filter((value) => value !== undefined)
    .map((value) => value.replace(/(?<![.,;)])[.,;)]+$/, ""));
}

/** Has a digit or a special character, and is neither an email address nor a URL. */
function looksSecret(value: string): boolean {
  const isAddress =
    /^[^\s@]{1,64}@[^\s@]+\.[a-z]+$/i.test(value) || /^(?:https?:|www\.)|\.[a-z]{2,}(?:$|\/)/i.test(value);
  return value.length >= 4 && /[\d!#$%&*+=?@^_~]/.test(value.replace(/[!?]+$/, "")) && !isAddress;
}
