import type { ObservedNode } from "../../browser/observation/observation.ts";
import { contains } from "../grounding/captured-pages.ts";
import { isSameValue, readText } from "../grounding/page-text.ts";
import { findRows } from "./areas.ts";
import { find } from "./elements.ts";
import { capitalize, shorten } from "./names.ts";
import type { Running, StepsRun } from "./run.ts";
import { type ExpectStep, toTarget } from "./step.ts";

/** Stops unless the page is as expected. What was seen is checked again by the verifier. */
export function* expect(statement: ExpectStep, run: StepsRun): Running {
  const { url } = run.observation;
  if (!(yield* run.retry(() => holds(statement, run), Boolean)))
    throw run.stop("NOT_AS_EXPECTED", `It was expected that ${describeStatement(statement)}, but that is not so.`);
  const about = capitalize(describeStatement(statement));
  const shown = statement.text ?? statement.row;
  const absent = statement.no_text ?? statement.no_row;
  if (shown !== undefined) run.conditions.push({ kind: "text", url, text: shown, about });
  else if (absent !== undefined) run.conditions.push({ kind: "absent", url, text: absent, about });
  else run.note(about);
}

export function holds({ text, no_text, field, value, row, no_row, url }: ExpectStep, run: StepsRun): boolean {
  const { observation } = run;
  const page = readText(observation.root);
  const says = (wanted: string) => contains(page.toLowerCase(), wanted.toLowerCase());
  const node = field === undefined ? null : find(toTarget(field), "read", run);
  const checks = [
    text === undefined || says(text),
    no_text === undefined || !says(no_text),
    row === undefined || findRows(observation, row).length > 0,
    no_row === undefined || findRows(observation, no_row).length === 0,
    url === undefined || observation.url.includes(url),
    node === null || (node.kind === "found" && isSameValue(readState(node.node), String(value ?? ""))),
  ];
  return checks.every(Boolean);
}

function readState(node: ObservedNode): string {
  if (node.states.checked !== undefined) return node.states.checked === true ? "checked" : "unchecked";
  return node.value ?? readText(node);
}

export function describeStatement({ text, no_text, field, value, row, no_row, url }: ExpectStep): string {
  const parts = [
    text === undefined ? "" : `the page says "${shorten(text)}"`,
    no_text === undefined ? "" : `the page does not say "${shorten(no_text)}"`,
    row === undefined ? "" : `there is a row "${shorten(row)}"`,
    no_row === undefined ? "" : `there is no row "${shorten(no_row)}"`,
    url === undefined ? "" : `the URL contains "${shorten(url)}"`,
    field === undefined
      ? ""
      : `"${shorten(toTarget(field).name ?? toTarget(field).role ?? "")}" holds "${shorten(String(value ?? ""))}"`,
  ];
  return parts.filter(Boolean).join(" and ");
}
