import { findUngrounded } from "../extraction/find-ungrounded.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Condition } from "../grounding/claim.ts";
import { findQuote } from "../grounding/quotes.ts";
import { redactUrl } from "../safe-text.ts";
import { type Case, findFreshPage } from "./case.ts";
import type { Check } from "./check.ts";
import { checkField } from "./check-fields.ts";
import { checkAbsent, checkList } from "./check-none.ts";

/** Everything the planner claims: its conditions, its facts and its data. */
export const CLAIM_CHECKS = [checkConditions, checkFacts, checkExtraction];

function checkConditions(context: Case): Check[] {
  return context.claim.conditions.map((condition) => checkCondition(condition, context));
}

function checkCondition(condition: Condition, context: Case): Check {
  switch (condition.kind) {
    case "step":
      return {
        about: condition.about,
        verdict: condition.holds ? "satisfied" : "contradicted",
        evidence: condition.holds ? "Seen right after the step." : "Not seen after the step.",
      };
    case "address":
      return {
        about: condition.about,
        verdict: isSamePage(context.live.url, condition.url) ? "satisfied" : "contradicted",
        evidence: `The browser is at ${redactUrl(context.live.url)}.`,
      };
    case "text":
      return checkText(condition, context);
    case "field":
      return checkField(condition, context);
    case "list":
      return checkList(condition, context);
    case "absent":
      return checkAbsent(condition, context);
  }
}

function checkText({ about, url, text }: Condition & { kind: "text" }, { captured, freshPages }: Case): Check {
  const fresh = findFreshPage(freshPages, url);
  const quote = `"${text.slice(0, 120)}"`;
  if (fresh?.page && contains(fresh.page.text, text)) {
    return { about, verdict: "satisfied", evidence: `${quote} is on ${redactUrl(url)}, also in a fresh browser.` };
  }
  if (captured.showed(url, text)) {
    const why = fresh?.note ?? "a fresh browser shows another state of it";
    return { about, verdict: "satisfied", evidence: `The page showed ${quote} after the step; ${why}.` };
  }
  return { about, verdict: "contradicted", evidence: `${quote} was not seen on ${redactUrl(url)}.` };
}

/** Each fact of the answer is quoted from a page that the run has seen. */
function checkFacts({ claim, captured, freshPages }: Case): Check[] {
  return claim.facts.map(({ label, quote, url }) => {
    const about = `The page has the answer for "${label}"`;
    if (quote === null) return { about, verdict: "unknown", evidence: "It is not quoted from a page." };
    const shown = `"${quote.slice(0, 120)}" at ${redactUrl(url)}`;
    const fresh = findFreshPage(freshPages, url);
    if (fresh?.page && hasQuote(fresh.page, quote)) {
      return { about, verdict: "satisfied", evidence: `${shown}, also in a fresh browser.` };
    }
    if (captured.list().some((page) => isSamePage(page.url, url) && hasQuote(page, quote))) {
      const why = fresh?.note ?? "a fresh browser shows another state of the page";
      return { about, verdict: "satisfied", evidence: `${shown}, as the run saw it; ${why}.` };
    }
    return { about, verdict: "contradicted", evidence: `${shown} was not seen.` };
  });
}

/** Exactly as quoted, and not cut out of a longer word or number. */
function hasQuote({ text, folded }: CapturedPage, quote: string): boolean {
  return contains(text, quote) && findQuote(text, quote, folded) !== null;
}

/** Every value of the data is quoted from a page that the run has seen, and can be read from its quote. */
function checkExtraction({ claim: { extraction }, task, captured, freshPages }: Case): Check[] {
  if (extraction === null) return [];
  const fresh = freshPages.flatMap(({ page }) => (page === null ? [] : [page]));
  const ungrounded = findUngrounded(extraction, [...captured.list(), ...fresh], task.outputSchema);
  const about = "Every extracted value is on a page";
  const count = extraction.leaves.length;
  if (ungrounded.length === 0) {
    const seenAgain = count - findUngrounded(extraction, fresh, task.outputSchema).length;
    const evidence = `${count} values, ${seenAgain} of them also in a fresh browser. ${extraction.coverage}`;
    return [{ about, verdict: "satisfied", evidence }];
  }
  const names = ungrounded.slice(0, 5).map(({ pointer, reason }) => `${pointer || "/"} (${reason})`);
  return [
    { about, verdict: "contradicted", evidence: `${ungrounded.length} of ${count} are not: ${names.join(", ")}.` },
  ];
}
