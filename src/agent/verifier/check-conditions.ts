import type { Observation } from "../../browser/observation/observation.ts";
import type { ObservedNode } from "../../browser/observation/observed-node.ts";
import { textOf, walk } from "../../browser/observation/tree.ts";
import { type CapturedPages, contains, isSamePage } from "../captured-pages.ts";
import type { Check } from "../errand.ts";
import type { Condition } from "../planner/planner.ts";
import { redactUrl } from "../redact-url.ts";
import { findLook, type SecondLook } from "./second-look.ts";

export interface Sight {
  /** The run's own tab, looked at anew. */
  readonly live: Observation;
  /** What the run saw on its way. */
  readonly captured: CapturedPages;
  readonly looks: readonly SecondLook[];
}

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

/** A saved value must be there for fresh eyes; one that was only typed must be in the page, unless the page has gone. */
function checkField(condition: Condition & { kind: "field" }, { live, looks }: Sight): Check {
  const { about, url, label, value, isSaved } = condition;
  const fresh = findLook(looks, url);
  const stored = fresh?.observation ? findFieldValue(fresh.observation, label) : null;
  if (isSaved) {
    if (stored === null) {
      const evidence = `A fresh tab does not show the field "${label}"${fresh?.note ? `: ${fresh.note}` : ""}.`;
      return { about, verdict: "unknown", evidence };
    }
    const holds = isSameValue(stored, value);
    const evidence = `In a fresh tab "${label}" ${holds ? "holds the new value" : `still holds "${stored.slice(0, 120)}"`}.`;
    return { about, verdict: holds ? "satisfied" : "contradicted", evidence };
  }
  if (!isSamePage(live.url, url)) {
    return { about, verdict: "satisfied", evidence: `"${label}" held the value when the form was sent.` };
  }
  const shown = findFieldValue(live, label);
  if (shown === null || shown === "") {
    return { about, verdict: "satisfied", evidence: `"${label}" held the value until the page changed.` };
  }
  const holds = isSameValue(shown, value);
  return {
    about,
    verdict: holds ? "satisfied" : "contradicted",
    evidence: `"${label}" holds "${shown.slice(0, 120)}".`,
  };
}

function findFieldValue({ root }: Observation, label: string): string | null {
  const wanted = simplify(label);
  const fields = [...walk(root)].map(({ node }) => node).filter((node) => fieldValue(node) !== null);
  const named =
    fields.find((node) => simplify(node.name) === wanted) ??
    fields.find((node) => simplify(node.field?.placeholder ?? "") === wanted);
  return named === undefined ? null : fieldValue(named);
}

function fieldValue(node: ObservedNode): string | null {
  if (node.states.checked !== undefined) return node.states.checked === true ? "checked" : "unchecked";
  if (node.value !== null) return node.value;
  return node.field === null ? null : textOf(node);
}

function isSameValue(one: string, other: string): boolean {
  return simplify(one) === simplify(other);
}

/** Sites tidy up what is typed: spaces, capitals, punctuation in a number. */
function simplify(text: string): string {
  return text.toLowerCase().replace(/[\s()*:.,-]+/g, "");
}
