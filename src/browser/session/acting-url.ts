import { toWords } from "./read-request.ts";

/** Verbs by which a GET request can act. "order", "post" and "book" name things as often. */
export const ACTING_VERBS: readonly string[] =
  "buy purchase pay delete remove destroy unsubscribe subscribe cancel confirm approve reject vote upvote downvote like unlike follow unfollow logout signout activate deactivate enable disable accept decline".split(
    " ",
  );
const VERBS = new Set(ACTING_VERBS);
const IDENTIFIER = /^(?:\d+|[\da-f]{8}-[\da-f-]{27}|(?=.*\d)[\w-]{12,})$/i;
/** Parameters that name an operation. */
const OPERATION_NAMES = new Set("action method operation op command cmd do task".split(" "));

/**
 * The verb by which a page or a request that should only read seems to change something: in its path or in a parameter such as
 * `action`, together with what it applies to. "/delete" alone is a page about it, and so is a title of many words. Null for others.
 */
export function findActingVerb(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const query = [...parsed.searchParams];
  const named = query.filter(([name]) => OPERATION_NAMES.has(name.toLowerCase())).map(([, value]) => findVerb(value));
  const byQuery = named.find((verb) => verb !== null);
  if (byQuery !== undefined) return byQuery;
  const parts = parsed.pathname.split("/").filter(Boolean);
  const verbs = parts.slice(-2).map(findVerb);
  const hasTarget = parts.some((part) => IDENTIFIER.test(part)) || query.some(([, value]) => value !== "");
  return hasTarget ? (verbs.find((verb) => verb !== null) ?? null) : null;
}

function findVerb(text: string): string | null {
  const words = toWords(text);
  return words.length > 2 ? null : (words.find((word) => VERBS.has(word)) ?? null);
}
