import { stemNoun, toSingular } from "../grounding/names.ts";

/** Words that applications use for records of one kind, and for the place that holds them. */
const KINDS: readonly ReadonlySet<string>[] = [
  "customer client account",
  "person people user member staff employee colleague teammate team crew agent",
  "ticket issue case bug incident request inbox",
  "order purchase",
  "invoice bill",
  "product item catalogue catalog inventory stock shop store",
  "booking reservation appointment",
  "task todo",
  "event meeting calendar agenda",
  "message email mail conversation",
  "file document",
  "company organization organisation",
  "supplier vendor",
  "payment transaction",
  "device machine",
  "project",
  "subscription plan",
].map((words) => new Set(words.split(" ").map((word) => toSingular(word))));

/** Names of pages that say nothing about what they list. */
const NEUTRAL = new Set(
  "directory list all management manage browse records results database".split(" ").map((word) => toSingular(word)),
);

/**
 * Whether a list with these names may be meant by a noun that is in none of them: "tickets" by "Issues", "customers" by
 * "Directory". "Boats" and "Featured" say something else, and so may a noun that is not known here. No name says nothing at all.
 */
export function mayMean(noun: string, names: readonly string[]): boolean {
  const kind = KINDS.find((words) => words.has(stemNoun(noun)));
  const words = names.flatMap((name) => stemNoun(name).split(" ").filter(Boolean));
  if (kind === undefined) return false;
  return words.some((word) => kind.has(word))
    ? words.every((word) => kind.has(word) || !KINDS.some((other) => other.has(word)))
    : words.length > 0 && words.every((word) => NEUTRAL.has(word));
}
