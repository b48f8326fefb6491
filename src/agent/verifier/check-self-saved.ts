import { isWrite } from "../../browser/session/network-record.ts";
import { contains } from "../grounding/captured-pages.ts";
import { findFieldValues, isCutValue } from "../grounding/page-text.ts";
import { type Case, type Entry, findEntries, findFreshPage, isEntry } from "./case.ts";
import type { Check } from "./check.ts";
import { isValueOf } from "./field-entries.ts";
import { findSending, isLookup } from "./sent-entries.ts";

/**
 * A field that the page saved by itself holds in a fresh browser what was entered: not a part of it, and not a third value. The
 * value from before the run is no contradiction, because what only filters a page is sent in the same way.
 */
export function checkSelfSaved(context: Case): Check[] {
  return findEntries(context.steps).flatMap((entry): Check[] => {
    const { label, place, url, value } = entry;
    const root = findFreshPage(context.freshPages, url)?.page?.root;
    if (root === undefined || value.trim() === "" || !isTyped(entry) || !isSavedAlone(entry, context)) return [];
    const before = context.captured.firstValueOf(url, label, place);
    const held = findFieldValues({ root }, label, place);
    const isFine = (shown: string) =>
      shown === "" || shown === before || isCutValue(shown) || isValueOf(entry, shown) || contains(shown, value);
    if (held.length === 0 || held.some(isFine)) return [];
    const evidence = `Entered "${value.slice(0, 60)}"; in a fresh browser it holds "${held[0]?.slice(0, 60)}".`;
    return [{ about: `"${label.slice(0, 80)}" keeps what was entered`, verdict: "contradicted", evidence }];
  });
}

function isTyped({ kind }: Entry): boolean {
  return kind === "text" || kind === "choice";
}

/** Whether the site accepted the value with a request that no other step has caused. */
function isSavedAlone(entry: Entry, context: Case): boolean {
  if (isLookup(entry, context)) return false;
  const sending = findSending(entry, context);
  if (sending.kind !== "sent" || !isWrite(sending.write)) return false;
  const cause = context.writes.find(({ write }) => write === sending.write)?.cause;
  return cause != null && (isEntry(cause.call) || cause.effect !== "mutate");
}
