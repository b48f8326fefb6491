import { readRecordSets } from "../extraction/read-record-sets.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import type { Fact } from "../grounding/claim.ts";
import { parseNumberWord, withoutQuotedText } from "../grounding/english-words.ts";
import { readText } from "../grounding/page-text.ts";
import { findQuote } from "../grounding/quotes.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { asksForCount, findParts } from "./whole-lists.ts";

/** "After round 3" means other rounds than that. */
const COMPARES =
  /\b(?:not|no|without|except|excluding|other|besides|after|before|since|until|from|between|than|least|most|over|under|above|below|up to)\b/i;
const CODE = /^([A-Z]{1,2})[- ]?\d+\b/;

/**
 * A number that is only the number of the facts is right if each of them is one of what the task asks for. Facts of another
 * part of the whole are not: a berth on pier C is none of pier B.
 */
export function checkCounted(context: Case): Check[] {
  const { claim, task } = context;
  const asked = withoutQuotedText(task.prompt);
  const { facts } = claim;
  const isStated = facts.some(({ quote }) => findQuote(quote ?? "", String(facts.length)) !== null);
  if (facts.length < 2 || isStated || !asksForCount(asked) || COMPARES.test(asked)) return [];
  const said = claim.answer.match(/\d+|\p{L}{3,}/gu) ?? [];
  if (!said.some((word) => (/^\d/.test(word) ? Number(word) : parseNumberWord(word)) === facts.length)) return [];
  for (const [kind, parts] of findParts(asked)) {
    const [part, ...others] = parts;
    if (part === undefined || others.length > 0) continue;
    const odd = findOdd(facts, { kind, part }, context);
    if (odd === null) continue;
    const evidence = `"${odd.quote?.slice(0, 60)}" is counted, and it is not of ${kind} ${part}.`;
    return [{ about: "Everything that was counted is what the task asks for", verdict: "contradicted", evidence }];
  }
  return [];
}

function findOdd(
  facts: readonly Fact[],
  { kind, part }: { readonly kind: string; readonly part: string },
  context: Case,
): Fact | null {
  const stated = facts.map((fact) => {
    const parts = contextsOf(fact, context).flatMap((text) => [...(findParts(text).get(kind) ?? [])]);
    return { fact, parts };
  });
  const other = stated.find(({ parts }) => parts.length > 0 && !parts.includes(part));
  if (other !== undefined) return other.fact;
  // B1, B2 and C1: the codes of some say that they are of it.
  const codes = facts.map(({ quote }) => CODE.exec(quote ?? "")?.[1] ?? null);
  if (!codes.includes(part) || codes.includes(null)) return null;
  return facts.find((_, index) => codes[index] !== part) ?? null;
}

/** What the page says of a fact: its quote, and the row it is in with its headings. Nothing more when it is in several rows. */
function contextsOf({ quote, url }: Fact, { captured }: Case): string[] {
  if (quote === null) return [];
  const page = captured.list().findLast((seen) => isSamePage(seen.url, url));
  const sets = page === undefined ? [] : readRecordSets(page.root, page.url).filter(({ kind }) => kind !== "labelled");
  const rows = sets.flatMap(({ name, rows }) => rows.map(({ cells, node }) => ({ name, cells, text: readText(node) })));
  const [row, ...others] = rows.filter(({ text }) => findQuote(text, quote) !== null);
  if (row === undefined || others.length > 0) return [quote];
  return [quote, row.text, row.name, ...[...row.cells].map(([column, { whole }]) => `${column} ${whole}`)];
}
