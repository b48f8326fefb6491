import type { Extraction } from "../fact.ts";
import type { PageSource } from "../page-source.ts";
import { findNextPage } from "../pages/find-next-page.ts";
import { readMerged } from "../records/read-sources.ts";
import type { RowWish } from "./choose-rows.ts";
import { describeLeftOut } from "./describe-left-out.ts";
import { Draft } from "./draft.ts";
import { createFiller } from "./filler.ts";

export interface SchemaSources extends Partial<RowWish> {
  /** One page, or the pages of one list in order. */
  readonly pages: readonly PageSource[];
}

const MAX_MISSING = 50;

/**
 * Data for a JSON Schema from what pages show, each leaf with its quote. Nothing is made up: what is not found is left
 * out, null where the schema allows that, and named in `missing` where the schema requires it.
 */
export function fillSchema(schema: unknown, sources: SchemaSources, hints = ""): { extraction: Extraction } {
  const { pages, filter = null, limit = null, subject = null } = sources;
  const draft = new Draft();
  const filler = createFiller({
    root: schema,
    merged: readMerged(pages),
    wish: { filter, limit, subject },
    prompt: hints,
    draft,
  });
  const outcome = filler.fillRoot();
  if (outcome.kind === "absent") draft.addMissing("", outcome.reason);
  const data = outcome.kind === "value" ? outcome.value : null;
  return {
    extraction: {
      data,
      leaves: draft.leaves,
      coverage: describeCoverage(draft, data, pages),
      missing: draft.missing.slice(0, MAX_MISSING),
    },
  };
}

function describeCoverage(draft: Draft, data: unknown, pages: readonly PageSource[]): string {
  const last = pages.at(-1);
  const hasMore = draft.notes.length > 0 && last !== undefined && findNextPage(last.root, last.url) !== null;
  const read =
    draft.notes.length > 0
      ? [...new Set(draft.notes)]
      : [`${pages.length} ${pages.length === 1 ? "page" : "pages"} read`];
  const leftOut = data === null ? [] : describeLeftOut(draft.leftOut, data);
  const missing = draft.missing.length > 0 ? [`${draft.missing.length} required values not found`] : [];
  return `${[...read, ...(hasMore ? ["more pages exist"] : []), ...leftOut, ...missing].join("; ")}.`;
}
