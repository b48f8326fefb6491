import { contains, isSamePage } from "../captured-pages.ts";
import type { Check } from "../errand.ts";
import type { Condition } from "../planner/planner.ts";
import { redactUrl } from "../redact-url.ts";
import { checkField } from "./check-field.ts";
import { findLook } from "./second-look.ts";
import type { Sight } from "./sight.ts";

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
  const look = findLook(looks, url);
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
