import { findUngrounded } from "../extraction/find-ungrounded.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim, Condition } from "../grounding/claim.ts";
import { redactUrl } from "../safe-text.ts";
import { findFreshPage, type Sight } from "./case.ts";
import type { Check } from "./check.ts";
import { checkField } from "./check-fields.ts";

export function checkCondition(condition: Condition, sight: Sight): Check {
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
        verdict: isSamePage(sight.live.url, condition.url) ? "satisfied" : "contradicted",
        evidence: `The browser is at ${redactUrl(sight.live.url)}.`,
      };
    case "text":
      return checkText(condition, sight);
    case "field":
      return checkField(condition, sight);
  }
}

function checkText({ about, url, text }: Condition & { kind: "text" }, { captured, looks }: Sight): Check {
  const look = findFreshPage(looks, url);
  const quote = `"${text.slice(0, 120)}"`;
  if (look?.page && contains(look.page.text, text)) {
    return { about, verdict: "satisfied", evidence: `${quote} stands at ${redactUrl(url)}, also in a fresh tab.` };
  }
  if (captured.showed(url, text)) {
    const why = look?.note ?? "a fresh tab shows another state of it";
    return { about, verdict: "satisfied", evidence: `The page showed ${quote} after the step; ${why}.` };
  }
  return { about, verdict: "contradicted", evidence: `${quote} was not to be seen at ${redactUrl(url)}.` };
}

/** Each fact of the answer stands, word for word, on a page that the run has seen. */
export function checkFacts({ facts }: Claim, { captured, looks }: Sight): Check[] {
  return facts.map(({ label, quote, url }) => {
    const about = `The answer for "${label}" stands on the page`;
    if (quote === null) return { about, verdict: "unknown", evidence: "No text of a page says so." };
    const shown = `"${quote.slice(0, 120)}" at ${redactUrl(url)}`;
    const look = findFreshPage(looks, url);
    if (look?.page && contains(look.page.text, quote)) {
      return { about, verdict: "satisfied", evidence: `${shown}, also in a fresh tab.` };
    }
    if (captured.showed(url, quote)) {
      const why = look?.note ?? "a fresh tab shows another state of the page";
      return { about, verdict: "satisfied", evidence: `${shown}, as the run saw it; ${why}.` };
    }
    return { about, verdict: "contradicted", evidence: `${shown} was not to be seen.` };
  });
}

/** Every leaf of the data is quoted from a page that the run has seen, and can be read from its quote. */
export function checkExtraction({ extraction }: Claim, { captured, looks }: Sight, schema: unknown): Check[] {
  if (extraction === null) return [];
  const fresh = looks.flatMap(({ page }) => (page === null ? [] : [page]));
  const ungrounded = findUngrounded(extraction, [...captured.list(), ...fresh], schema);
  const about = "Every extracted value stands on a page";
  const count = extraction.leaves.length;
  if (ungrounded.length === 0) {
    const seenAgain = count - findUngrounded(extraction, fresh, schema).length;
    const evidence = `${count} values, ${seenAgain} of them seen again in a fresh tab. ${extraction.coverage}`;
    return [{ about, verdict: "satisfied", evidence }];
  }
  const names = ungrounded.slice(0, 5).map(({ pointer, reason }) => `${pointer || "/"} (${reason})`);
  return [
    { about, verdict: "contradicted", evidence: `${ungrounded.length} of ${count} do not: ${names.join(", ")}.` },
  ];
}
