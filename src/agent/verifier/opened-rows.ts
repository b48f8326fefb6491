import type { ObservedNode } from "../../browser/observation/observation.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import type { RecordSet, Row } from "../extraction/record-set.ts";
import { type CapturedPage, isSamePage } from "../grounding/captured-pages.ts";
import type { Case } from "./case.ts";
import { findTarget } from "./deletions.ts";

/** A row of a list that led to a page from which the answer was taken. */
export interface OpenedRow {
  readonly step: StepCause;
  /** What was clicked in the row. */
  readonly target: ObservedNode;
  readonly row: Row;
  readonly set: RecordSet;
  /** The state of the page with the list. */
  readonly page: CapturedPage;
  /** The page that came. */
  readonly url: string;
}

/** What a claim says and where it has that from: its facts and its data. */
export function findSources({ claim }: Pick<Case, "claim">) {
  return [...claim.facts, ...(claim.extraction?.leaves ?? [])];
}

/** The rows that were opened for the answer. */
export function findOpenedRows(context: Case): OpenedRow[] {
  const { steps, live, captured } = context;
  const sources = new Set(findSources(context).map(({ url }) => url));
  return steps.flatMap((step, index): OpenedRow[] => {
    const url = steps[index + 1]?.url ?? live.url;
    const isCited = [...sources].some((source) => isSamePage(source, url));
    if (step.hasFailed || step.call.action !== "click" || !isCited || isSamePage(url, step.url)) return [];
    const found = findTarget(step, captured);
    if (found === null) return [];
    const { page, visit } = found;
    const own = new Set([...visit.ancestors, visit.node]);
    const sets = readRecordSets(page.root, page.url).filter(({ kind }) => kind !== "labelled");
    const rows = sets.flatMap((set) => set.rows.flatMap((row) => (own.has(row.node) ? [{ row, set }] : [])));
    const innermost = rows.at(-1);
    return innermost === undefined ? [] : [{ step, target: visit.node, page, url, ...innermost }];
  });
}
