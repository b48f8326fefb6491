import { isOr, type Token, textOf } from "./clauses.ts";
import { GRAMMAR, isVerb } from "./grammar.ts";
import { firstWords } from "./pattern.ts";

/**
 * What people say instead, and the form that works. `{}` stands for the rest of the clause, `{thing}` for what it names, and
 * `{row}` for "in the row of" it.
 */
const OTHER_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:delete|remove)$/, "Click Delete {row}"],
  [/^edit$/, "Click Edit {row}"],
  [/^(?:buy|order|purchase)$/, "Open {thing}, click Add to cart"],
  [/^(?:find|locate|look)$/, "Search for {}"],
  [/^(?:does|do|has|have|can)$/, 'Check that the page says "{}"'],
  [/^(?:sort|download)$/, "Click {}"],
  [/^(?:filter)$/, "Select {} from Filter"],
  [/^(?:count)$/, "Tell me the number of {}"],
  [/^(?:why|whose)$/, "What is the {}?"],
];
const MAX_REST = 60;

/** The nearest sentence that works: for another word of the same meaning, or for a word that is spelled almost like a known one. */
export function suggest(
  tokens: readonly Token[],
  prompt: string,
  isUnderstood: (sentence: string) => boolean,
): string | null {
  const [first, ...rest] = tokens;
  if (first === undefined || first.kind !== "word" || findSecret(tokens) !== undefined) return null;
  const said = textOf(rest, prompt);
  if (said === "" || said.length > MAX_REST) return null;
  const other = OTHER_WORDS.find(([pattern]) => pattern.test(first.word))?.[1];
  const near = findNear(first.word);
  const sentences = [
    other === undefined ? "" : fillIn(other, said),
    near === null ? "" : `${near.charAt(0).toUpperCase()}${near.slice(1)} ${said}`,
    /^(?:the|its|a|an)$/.test(first.word) ? `Tell me ${textOf(tokens, prompt)}` : "",
  ];
  return sentences.find((sentence) => sentence !== "" && isUnderstood(sentence)) ?? null;
}

/** "me a kettle" is "kettle"; what is mine, or everything, has no row. */
function fillIn(form: string, said: string): string {
  if (form.includes("{row}") && /^(?:my|all|every|everything|our)\b/i.test(said)) return "";
  const thing = said.replace(/^(?:(?:me|us)\s+)?(?:(?:an?|one|some|my)\s+)?/i, "");
  return form
    .replace("{row}", () => toRow(said))
    .replace("{thing}", () => thing)
    .replace("{}", () => said);
}

/** "the row of Larch", "the second row" and "Larch" as a place. */
function toRow(said: string): string {
  if (/^(?:the )?(?:row|entry|item) (?:of|for|with) /i.test(said)) return `in ${said}`;
  return / row$/i.test(said) ? `in the ${said.replace(/^the /i, "")}` : `in the row of ${said.replace(/^the /i, "")}`;
}

/** Why a clause is not understood, as far as that can be told, and a sentence with its verb that is. */
export function explain(tokens: readonly Token[]): string {
  const verb = tokens[0]?.word ?? "";
  if (tokens.some(isOr))
    return 'Steps do not know "or": ask for one thing, or put a name with "or" into quotation marks.';
  if (/^(?:is|are|was|were)$/.test(verb))
    return 'Yes or no is answered only for one thing and the state that it is in: "Is T-1 paid?". For several, ask "How many invoices are not paid?".';
  if (tokens.some(({ word, text }) => text === word && (word === "each" || word === "every")))
    return 'Something is done for each of several only with "For each …, …", which opens their links.';
  const example = GRAMMAR.find(({ example: own }) => verb !== "" && own.toLowerCase().startsWith(`${verb} `));
  const reason = "It is not a sentence that Errand understands without a model.";
  return example === undefined ? reason : `${reason} This is one: "${example.example}"`;
}

const SECRETS = /^(?:pass(?:word|phrase|code|wort)s?|pins?|secrets?|tokens?|credentials?|pass|login|sign|log)$/;

/** The word that says that a password may be near. */
function findSecret(tokens: readonly Token[]): Token | undefined {
  return tokens.find(({ word, kind }) => kind === "word" && SECRETS.test(word));
}

/** A clause as a refusal shows it. Refusals are stored, so of one that may have a password only the known words are left. */
export function quoteClause(tokens: readonly Token[], prompt: string): string {
  const secret = findSecret(tokens);
  if (secret === undefined) return textOf(tokens, prompt);
  const [first] = tokens;
  const beginsWithVerb = first !== undefined && isVerb(first.word);
  const words = beginsWithVerb && first !== secret ? [first.text, "…", secret.text] : [secret.text];
  return `${beginsWithVerb ? "" : "… "}${words.join(" ")} …`;
}

/** The first known word that differs in one letter, or in the order of two. */
function findNear(word: string): string | null {
  if (word.length < 4 || word.length > 20) return null;
  const variants = new Set(withoutOneLetter(word));
  const known = GRAMMAR.flatMap(({ pattern }) => firstWords(pattern)).filter(({ length }) => length > 3);
  return known.find((each) => withoutOneLetter(each).some((variant) => variants.has(variant))) ?? null;
}

function withoutOneLetter(word: string): string[] {
  return [word, ...[...word].map((_, at) => word.slice(0, at) + word.slice(at + 1))];
}
