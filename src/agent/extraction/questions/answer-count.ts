import { parseAmounts } from "../../grounding/amounts.ts";
import type { Fact } from "../../grounding/claim.ts";
import { toStem } from "../../grounding/similarity.ts";
import { evaluateFilter, findUnusedWord } from "../match-rows.ts";
import type { PageSource } from "../merged-pages.ts";
import { findStatusLines } from "../pagination.ts";
import { type RecordSet, type Row, titleOf } from "../record-set.ts";
import { chooseList } from "./choose-list.ts";
import type { Answer, Question } from "./question.ts";

/**
 * How many there are: what the page states ("60 products"), or the rows that it shows. Each counted row is a fact of
 * its own, because no text of the page says the sum.
 */
export function answerCount(
  question: Question & { kind: "count" },
  sets: readonly RecordSet[],
  pages: readonly PageSource[],
  isPartial: boolean,
): Answer {
  const { noun, filter } = question;
  const stated = filter === null ? findStated(pages, noun) : [];
  const [first] = stated;
  if (stated.some(({ value }) => value !== first?.value)) return { kind: "ambiguous", candidates: stated };
  const choice = chooseList(question, sets);
  if (first !== undefined) return compareWithRows(first, choice.kind === "chosen" ? choice.set : null, isPartial);
  if (choice.kind === "none") return { kind: "missing", reason: `No list of "${noun}" is on the page.` };
  if (choice.kind === "unclear") {
    return {
      kind: "missing",
      reason: `Several lists could be meant: ${choice.sets.map(({ name }) => `"${name}"`).join(", ")}.`,
    };
  }
  const { set } = choice;
  const verdicts = set.rows.map((row) => (filter === null ? true : evaluateFilter(row, filter)));
  const unknown = verdicts.filter((verdict) => verdict === null).length;
  if (unknown > 0)
    return { kind: "missing", reason: `${unknown} of ${set.rows.length} rows do not say whether they count.` };
  const rows = set.rows.filter((_, index) => verdicts[index] === true);
  const unused = filter === null ? null : findUnusedWord(set.rows, filter);
  if (unused !== null) {
    const reason = `None of the ${set.rows.length} rows of "${set.name}" says "${unused}".`;
    return { kind: isPartial ? "further" : "missing", reason };
  }
  const facts =
    rows.length > 0 ? rows.flatMap((row, index) => toFact(row, set, `${noun} ${index + 1}`)) : quoteName(set, pages);
  if (facts.length === 0) return { kind: "missing", reason: `Nothing on the page says that there are no ${noun}.` };
  return { kind: "found", facts, text: String(rows.length), isPartial, scope: null };
}

/** "60 products" as a line or within one. */
export function findStated(pages: readonly PageSource[], noun: string): Fact[] {
  const wanted = toStem(noun.trim().toLowerCase().split(" ").at(-1) ?? "");
  return pages.flatMap(({ root, url }) => {
    return findStatusLines(root).flatMap((text) =>
      parseAmounts(text)
        .filter(({ unit, currency }) => unit !== null && currency === null && toStem(unit) === wanted)
        .map(({ value, quote }) => ({ label: `number of ${noun}`, value, quote, url })),
    );
  });
}

/** All rows are on the page, and they are not as many as it says: one of the two counts something else. */
function compareWithRows(stated: Fact, set: RecordSet | null, isPartial: boolean): Answer {
  const rows = set?.rows.length ?? 0;
  if (set !== null && !isPartial && rows > Number(stated.value)) {
    const [row] = set.rows;
    const shown = row === undefined ? [] : toFact(row, set, `first of ${rows} rows`);
    return { kind: "ambiguous", candidates: [stated, ...shown] };
  }
  return { kind: "found", facts: [stated], text: String(stated.value), isPartial: false, scope: null };
}

function toFact(row: Row, set: RecordSet, label: string): Fact[] {
  const cell = titleOf(row, set) ?? [...row.cells.values()].find(({ text }) => text !== "");
  return cell == null ? [] : [{ label, value: cell.text, quote: cell.quote, url: row.pageUrl }];
}

/** Of an empty table its name or its header is what there is to quote. */
function quoteName(set: RecordSet, pages: readonly PageSource[]): Fact[] {
  const quote = set.name || set.columns[0];
  const [page] = pages;
  return quote === undefined || page === undefined
    ? []
    : [{ label: `no row of ${quote}`, value: 0, quote, url: page.url }];
}
