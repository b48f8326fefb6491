import { stemNoun, toSingular } from "../grounding/names.ts";

/**
 * Words that applications use for records of one kind, and behind the stroke those that only their pages are called: a team page
 * lists its members, and no teams; staff are people, and not all people are employees.
 */
const KINDS = [
  "customer client",
  "person people user member colleague teammate | team crew staff employee",
  "employee | staff team crew",
  "ticket issue case | inbox",
  "order purchase",
  "invoice bill",
  "product item | catalogue catalog inventory stock shop store",
  "booking reservation appointment",
  "task todo",
  "event | calendar agenda",
  "message email mail | inbox",
  "file document",
  "company organization organisation",
  "supplier vendor",
  "device machine",
].map((line) => {
  const [records = new Set<string>(), places = []] = line.split(" | ").map(toStems);
  return { records, names: new Set([...records, ...places]) };
});
/** Kinds that no other word stands for: a bug is an issue, but an issue may be something else. */
const OTHER_KINDS = toStems(
  "account agent bug conversation incident meeting payment plan project request subscription transaction",
);
const KNOWN = new Set([...OTHER_KINDS, ...KINDS.flatMap(({ names }) => [...names])]);

/** Names of pages that say nothing about what they list. */
const NEUTRAL = toStems("directory list all management manage browse records results database");

function toStems(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(toSingular));
}

/**
 * Whether a list with these names may be meant by a noun that is in none of them: "tickets" by "Issues", "customers" by
 * "Directory". "Boats" and "Featured" say something else, and so may a noun that is not known here. No name says nothing at all.
 */
export function mayMean(noun: string, names: readonly string[]): boolean {
  const stem = stemNoun(noun);
  const kinds = KINDS.filter(({ records }) => records.has(stem));
  const words = names.flatMap((name) => stemNoun(name).split(" ").filter(Boolean));
  if (words.length > 0 && words.every((word) => NEUTRAL.has(word))) return kinds.length > 0 || OTHER_KINDS.has(stem);
  return kinds.some(
    (kind) =>
      words.some((word) => kind.names.has(word)) && words.every((word) => kind.names.has(word) || !KNOWN.has(word)),
  );
}

const ROLES = toStems("author owner seller buyer contact assignee reporter requester sender recipient manager driver");

/** Whether a heading on a page is of another thing: "Customer" on the page of an order. "Billing" and "Plan" are sides of the thing itself. */
export function namesAnother(heading: string, names: readonly string[]): boolean {
  const own = new Set(names.flatMap((name) => stemNoun(name).split(" ")));
  return stemNoun(heading)
    .split(" ")
    .some((word) => !own.has(word) && (ROLES.has(word) || KINDS.some(({ records }) => records.has(word))));
}
