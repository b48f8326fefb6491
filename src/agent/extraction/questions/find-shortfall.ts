import { type PageSource, readSources } from "../merged-pages.ts";
import { findStatedTotal } from "../pagination.ts";
import { readRecordSets } from "../read-record-sets.ts";
import { findStated } from "./answer-count.ts";
import { chooseList, nounOf } from "./choose-list.ts";
import type { Question } from "./question.ts";

/** How the rows that were read fall short of what the pages themselves say there is; null when nothing says so. */
export function findShortfall(question: Question, pages: readonly PageSource[]): string | null {
  const [first] = pages;
  const choice = chooseList(question, readSources(pages));
  if (choice.kind !== "chosen" || first === undefined) return null;
  const shown = chooseList(question, readRecordSets(first.root, first.url));
  const ofFirst = shown.kind === "chosen" ? findStatedTotal(first.root, shown.set) : null;
  const stated = findStated(pages, nounOf(question) ?? "").map(({ value }) => Number(value));
  // What the page says there is, is then the answer itself.
  if (question.kind === "count" && question.filter === null && stated.length > 0) return null;
  const total = Math.max(0, ofFirst ?? 0, ...stated);
  const { length } = choice.set.rows;
  return total > length ? `The page speaks of ${total}, and only ${length} could be read.` : null;
}
