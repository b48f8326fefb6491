import { type CapturedPage, isSamePage } from "../../captured-pages.ts";
import type { Check } from "../../errand.ts";
import { findNextPage } from "../../extraction/pages/find-next-page.ts";
import { readRecordSets } from "../../extraction/records/read-record-sets.ts";
import { parseAmounts } from "../../extraction/values/amount.ts";
import type { Claim } from "../../planner/planner.ts";
import { redactUrl } from "../../redact-url.ts";
import type { Case } from "./case.ts";

const WHOLE = /\b(?:all|every|each|complete|entire|whole)\b/i;
/** "The number of products", and not "the phone number of the shop". */
const COUNT =
  /\bhow many\b|\bcount\b|(?<!\b(?:phone|fax|order|account|invoice|model|part|serial|tracking|room) )\bnumber of (?:(?:the|all|my|these|those) )?(?:[\w-]+ )?(?:people|[\w-]*[^\Wsui]s)\b/i;
const PART =
  /\bon (?:this|the first|page)\b|\bfirst (?:page|\d+|two|three|four|five|ten)\b|\b(?:top|latest|newest|last|cheapest) (?:\d+|two|three|four|five|ten)\b/i;

/** Where all of a list is asked for, no page that was read leads on to one that was not. */
export function checkWholeList({ claim, task, captured }: Case): Check[] {
  const isCount = COUNT.test(task.prompt);
  if (!(isCount || WHOLE.test(task.prompt)) || PART.test(task.prompt)) return [];
  const hasList = claim.facts.length > 1 || Array.isArray(claim.extraction?.data) || holdsList(claim.extraction?.data);
  if (!hasList && !isCount) return [];
  const cited = new Set([...claim.facts, ...(claim.extraction?.leaves ?? [])].map(({ url }) => url));
  const pages = captured.list();
  // A list that grows in place is seen whole in its last state.
  const last = [...cited].flatMap((url) => pages.findLast((page) => isSamePage(page.url, url)) ?? []);
  const open = last.find((page) => leadsOn(page, pages));
  if (open === undefined || (isCount && statesCount(claim, open))) return [];
  const evidence = `The list at ${redactUrl(open.url)} goes on on a page that was not read.`;
  return [{ about: "The whole list was read", verdict: "unknown", evidence }];
}

/** The page itself says how many there are, and it is more than it shows at once: not the number of those on one page. */
function statesCount({ answer, facts, extraction }: Claim, { root, url }: CapturedPage): boolean {
  const shown = Math.max(0, ...readRecordSets(root, url).map(({ rows }) => rows.length));
  const said = new Set(parseAmounts(answer).map(({ value }) => value));
  const cited = [...facts, ...(extraction?.leaves ?? [])].filter((each) => isSamePage(each.url, url));
  return cited
    .flatMap(({ quote, value }) => parseAmounts(quote ?? "").map((amount) => ({ ...amount, given: value })))
    .some(({ value, given, currency }) => currency === null && value > shown && (said.has(value) || given === value));
}

function holdsList(data: unknown): boolean {
  return typeof data === "object" && data !== null && Object.values(data).some(Array.isArray);
}

function leadsOn({ root, url }: CapturedPage, pages: readonly CapturedPage[]): boolean {
  const next = findNextPage(root, url);
  if (next === null) return false;
  return next.url === null || !pages.some((page) => next.url !== null && isSamePage(page.url, next.url));
}
