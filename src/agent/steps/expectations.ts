import type { ObservedNode } from "../../browser/observation/observation.ts";
import { findNextPage } from "../extraction/pagination.ts";
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
  refuseMorePages(statement, run);
  if (shown !== undefined) run.conditions.push({ kind: "text", url, text: shown, about });
  else if (absent !== undefined) run.conditions.push({ kind: "absent", url, text: absent, about });
  else run.note(about);
}

/** A row that is not on this page may be on the next one, unless the run has just taken it away here. */
export function refuseMorePages({ row, no_row }: ExpectStep, run: StepsRun): void {
  const name = row ?? no_row;
  const { root, url } = run.observation;
  if (name === undefined || run.hasWritten || findRows(run.observation, name).length > 0) return;
  if (findNextPage(root, url) !== null)
    throw run.stop("PARTIAL_LIST", `The list has more pages, which may have the row "${shorten(name)}".`);
}

export function holds({ text, no_text, field, value, row, no_row, url }: ExpectStep, run: StepsRun): boolean {
  const { observation } = run;
  const page = readText(observation.root);
  const says = (wanted: string) => contains(page.toLowerCase(), wanted.toLowerCase()) && !isInWords(page, wanted);
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

/** "Paid" is not said by "Unpaid", nor "50" by "€150" or "50.99". Scripts without spaces have no such words. */
function isInWords(page: string, text: string): boolean {
  const parts = page.toLowerCase().split(text.toLowerCase());
  const isInside = parts.slice(1).map((after, index) => {
    const [before, behind] = [`${parts[index]?.slice(-2)}${text.slice(0, 1)}`, `${text.slice(-1)}${after.slice(0, 4)}`];
    return LETTERS_BEFORE.test(before) || NUMBER_BEFORE.test(before) || NUMBER_BEHIND.test(behind);
  });
  return isInside.length > 0 && isInside.every(Boolean);
}

const LETTERS_BEFORE = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2}$/u;
const NUMBER_BEFORE = /\d[.,]?\d$/;
/** "€5.00" says "€5". */
const NUMBER_BEHIND = /^\d(?![.,]00?(?!\d))[.,]?\d/;

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
