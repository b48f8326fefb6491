import { toWords } from "./read-request.ts";

/** Verbs by which a GET request can act. "order", "post" and "book" name things as often. */
export const ACTING_VERBS: readonly string[] =
  "buy purchase pay delete remove destroy unsubscribe subscribe cancel confirm approve reject vote upvote downvote like unlike follow unfollow logout signout activate deactivate enable disable accept decline".split(
    " ",
  );
const VERBS = new Set(ACTING_VERBS);
/** Verbs only as the value of a parameter and with a target: in a path, "trash" is as often a folder. */
const VERBS_OF_PARAMETERS: ReadonlySet<string> = new Set(["trash"]);
const IDENTIFIER = /^(?:\d+|[\da-f]{8}-[\da-f-]{27}|(?=.*\d)[\w-]{12,})$/i;
/** Parameters that name an operation. */
const OPERATION_NAMES = new Set("action method operation op command cmd do task".split(" "));

const TARGET_NAME = /^(?:\w*[_-])?(?:id|ids|item|product|sku|pid|uid|token|key|code|no|nr)$/i;
/** Parameters with numbers that are about the page. */
const PAGE_NAME = /^(?:p|page|per_?page|limit|offset|size|start|year|month|day|v|version|lang|utm_\w+)$/i;

/**
 * The verb by which a page or a request that should only read seems to change something: in its path or in a parameter such as
 * `action`, together with the number or the code of what it applies to. "/delete" alone is a page about it, "/buy-phone?model=15"
 * is a product. Null for others.
 */
export function findActingVerb(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  const query = [...parsed.searchParams];
  const named = query.filter(([name]) => OPERATION_NAMES.has(name.toLowerCase())).map(([, value]) => toWords(value));
  const byQuery = named.find((words) => words.length <= 2 && words.some((word) => VERBS.has(word)));
  if (byQuery !== undefined) return byQuery.find((word) => VERBS.has(word)) ?? null;
  const byTarget = named.flat().find((word) => VERBS_OF_PARAMETERS.has(word));
  const parts = parsed.pathname.split("/").filter(Boolean);
  const hasTarget =
    parts.some((part) => IDENTIFIER.test(part)) ||
    query.some(([name, value]) => TARGET_NAME.test(name) && value !== "");
  const hasNumber = query.some(([name, value]) => /^\d+$/.test(value) && !PAGE_NAME.test(name));
  if (byTarget !== undefined && (hasTarget || hasNumber)) return byTarget;
  for (const words of parts.slice(-2).map(toWords)) {
    const verb = words.find((word) => VERBS.has(word));
    if (verb !== undefined && words.length <= 2 && (hasTarget || (hasNumber && words.length === 1))) return verb;
  }
  return null;
}
