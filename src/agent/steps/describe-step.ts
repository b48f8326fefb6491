import { describeTarget, shorten } from "./find-target.ts";
import { describeStatement } from "./perform.ts";
import { type CollectStep, type Comparison, type ReadStep, type Step, type Target, toTarget } from "./step.ts";

/** What a step does, in one sentence without a full stop: for outlines, `errand steps --check` and the console. */
export function describeStep(step: Step): string {
  if ("goto" in step) return `Open ${step.goto}`;
  if ("back" in step) return "Go back to the previous page";
  if ("reload" in step) return "Reload the page";
  if ("click" in step) return `Click ${the(step.click)}`;
  if ("double_click" in step) return `Double-click ${the(step.double_click)}`;
  if ("open" in step) return `Open ${the(step.open)}`;
  if ("fill" in step)
    return `Enter ${value(step.fill.value)} into ${the(step.fill.target)}${step.fill.submit === true ? " and press Enter" : ""}`;
  if ("edit" in step) return describeEdit(step.edit);
  if ("select" in step)
    return `Select ${value(step.select.value)}${step.select.target === undefined ? "" : ` in ${the(step.select.target)}`}`;
  if ("check" in step) return `Check ${the(step.check)}`;
  if ("uncheck" in step) return `Uncheck ${the(step.uncheck)}`;
  if ("press" in step)
    return typeof step.press === "string"
      ? `Press ${step.press}`
      : `Press ${step.press.key} in ${the(step.press.target)}`;
  if ("hover" in step) return `Hover over ${the(step.hover)}`;
  return describeOther(step);
}

function describeOther(step: Step): string {
  if ("upload" in step) return `Upload the file "${shorten(step.upload.name)}" to ${the(step.upload.target)}`;
  if ("scroll" in step)
    return `Scroll ${step.scroll === "down" || step.scroll === "up" ? step.scroll : `to the ${step.scroll}`}`;
  if ("wait_for" in step) return describeWait(step.wait_for);
  if ("dialog" in step) return `${step.dialog === "accept" ? "Accept" : "Dismiss"} the dialog`;
  if ("sign_in" in step) return `Sign in as ${step.sign_in.user} with the given password`;
  if ("read" in step) return describeRead(step.read);
  if ("collect" in step) return describeCollect(step.collect);
  if ("expect" in step) return `Expect that ${describeStatement(step.expect)}`;
  const inner = "steps" in step ? step.steps.map(describeStep).join("; ") : "";
  if ("if" in step) return `If ${describeStatement(step.if)}: ${inner}`;
  if ("for_each" in step)
    return `For each entry of ${step.for_each.list === undefined ? "the list" : `"${step.for_each.list}"`}, open its link: ${inner}`;
  if ("repeat_until" in step) {
    const stop = step.repeat_until;
    const until =
      "text" in stop ? `the page says "${shorten(stop.text)}"` : `there is no ${describeTarget(toTarget(stop.gone))}`;
    return `Repeat until ${until}: ${inner}`;
  }
  return JSON.stringify(step);
}

function the(target: string | Target): string {
  return `the ${describeTarget(toTarget(target)).replace(/^"/, 'element "')}`;
}

function value(text: string | number | boolean): string {
  return `"${shorten(String(text))}"`;
}

function describeEdit({
  target,
  replace,
  with: replacement = "",
  all,
  insert,
  after,
  append,
}: Extract<Step, { edit: unknown }>["edit"]): string {
  const field = the(target);
  if (replace !== undefined)
    return `Replace ${all === true ? "every " : ""}${value(replace)} with ${value(replacement)} in ${field}`;
  if (insert !== undefined) return `Insert ${value(insert)} after ${value(after ?? "")} in ${field}`;
  return append === undefined ? `Clear ${field}` : `Add ${value(append)} at the end of ${field}`;
}

function describeWait({ text, gone, seconds }: Extract<Step, { wait_for: unknown }>["wait_for"]): string {
  const parts = [
    seconds === undefined ? "" : `${seconds} seconds`,
    text === undefined ? "" : `until the page says "${shorten(text)}"`,
    gone === undefined ? "" : `until "${shorten(gone)}" is gone`,
  ];
  return `Wait ${parts.filter(Boolean).join(" and ")}`;
}

function describeRead({ label, row, column, list, field, heading, after, number_of, as }: ReadStep): string {
  if (row !== undefined)
    return `Read ${column === undefined ? "the row" : `"${column}"`} of "${shorten(row)}"${list === undefined ? "" : ` in the list "${list}"`}`;
  if (field !== undefined) return `Read ${the(field)}`;
  if (heading === true) return "Read the main heading";
  if (after !== undefined) return `Read the text after "${shorten(after)}"`;
  return number_of === undefined
    ? `Read the value labelled "${shorten(label ?? as ?? "")}"`
    : `Read the number of ${shorten(number_of)} that the page states`;
}

function describeCollect({ list, columns, where = [], order, limit, nth, pages, count }: CollectStep): string {
  const noun = list === undefined ? "the rows of the list" : `"${shorten(list)}"`;
  const what =
    count === true ? `Count ${noun}` : `List ${columns === undefined ? "" : `${columns.join(", ")} of `}${noun}`;
  const parts = [
    what,
    where.length === 0 ? "" : `where ${where.map(describeComparison).join(" and ")}`,
    order === undefined ? "" : `by ${order.by}, ${order.direction}`,
    nth === undefined ? "" : `only number ${nth}`,
    limit === undefined ? "" : `only the first ${limit === 1 ? "one" : limit}`,
    pages === "this" ? "on this page" : "on all pages",
  ];
  return parts.filter(Boolean).join(", ");
}

function describeComparison({ column, ...tests }: Comparison): string {
  return Object.entries(tests)
    .map(
      ([test, wanted]) =>
        `${column === undefined ? "a column" : `"${column}"`} ${test.replaceAll("_", " ")} ${value(wanted as string)}`,
    )
    .join(" and ");
}
