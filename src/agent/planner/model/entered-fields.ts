import type { Observation } from "../../../browser/observation/observation.ts";
import type { ActionReport } from "../../actions/action-report.ts";
import { isSamePage } from "../../captured-pages.ts";
import { toOneLine } from "../../prompting/one-line.ts";
import { findFieldValues, isSameValue } from "../../verifier/field-value.ts";
import type { Condition } from "../planner.ts";
import { isChange } from "./evidence.ts";

type FieldCondition = Extract<Condition, { kind: "field" }>;

const MASKED = "••••••";
const MAX_FIELDS = 40;

/**
 * What was entered into fields, as far as it may be told: claimed in any case, whatever the model says at the end, so that
 * a page that says "saved" and keeps the old value is found out.
 */
export class EnteredFields {
  #fields: FieldCondition[] = [];

  note(reports: readonly ActionReport[], observation: Observation): void {
    for (const report of reports) this.#add(report);
    // A suggestion that was picked replaces what was typed; what a site makes of a value that it was sent does not.
    if (reports.every(({ events }) => !events.requests.some(isChange))) this.#follow(observation);
  }

  list(): readonly Condition[] {
    return this.#fields;
  }

  #add({ call, failure, urlBefore, urlAfter }: ActionReport): void {
    const { label, text, checked } = call.input;
    if (failure !== null || urlBefore !== urlAfter || typeof label !== "string" || label === "") return;
    const value =
      call.action === "fill" ? text : call.action === "check" ? (checked === true ? "checked" : "unchecked") : null;
    if (typeof value !== "string" || value === MASKED) return;
    const about = `"${toOneLine(label, 60)}" holds "${toOneLine(value, 60)}"`;
    const others = this.#fields.filter((field) => field.label !== label || !isSamePage(field.url, urlAfter));
    this.#fields = [...others, { kind: "field" as const, url: urlAfter, label, value, isSaved: false, about }].slice(
      -MAX_FIELDS,
    );
  }

  #follow(observation: Observation): void {
    this.#fields = this.#fields.map((field) => {
      if (!isSamePage(field.url, observation.url)) return field;
      const held = findFieldValues(observation, field.label).filter((value) => value !== "");
      const [shown] = held;
      if (shown === undefined || held.some((value) => isSameValue(value, field.value))) return field;
      return { ...field, value: shown, about: `"${toOneLine(field.label, 60)}" holds "${toOneLine(shown, 60)}"` };
    });
  }
}
