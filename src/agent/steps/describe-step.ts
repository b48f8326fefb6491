import { describeStatement } from "./expectations.ts";
import { describeTarget } from "./find-target.ts";
import { describeValue, shorten } from "./names.ts";
import {
  type CollectStep,
  type Comparison,
  type Kind,
  type ReadStep,
  type Step,
  type StepOf,
  type Target,
  toTarget,
} from "./step.ts";

/** What a step does, in one sentence without a full stop: for outlines, `errand steps --check` and the console. */
export function describeStep(step: Step): string {
  const kind = Object.keys(step)[0] as Kind;
  return (DESCRIPTIONS[kind] as (step: Step) => string)(step);
}

const DESCRIPTIONS: { readonly [K in Kind]: (step: StepOf<K>) => string } = {
  goto: ({ goto }) => `Open ${goto}`,
  back: () => "Go back to the previous page",
  reload: () => "Reload the page",
  click: ({ click }) => `Click ${the(click)}`,
  double_click: ({ double_click }) => `Double-click ${the(double_click)}`,
  open: ({ open }) => `Open ${the(open)}`,
  fill: ({ fill: { target, value: entered, submit } }) =>
    `Enter ${isForSecret(target) ? "the given secret" : describeValue(entered)} into ${the(target)}${submit === true ? " and press Enter" : ""}`,
  edit: ({ edit }) => describeEdit(edit),
  select: ({ select: { target, value: chosen } }) =>
    `Select ${describeValue(chosen)}${target === undefined ? "" : ` in ${the(target)}`}`,
  check: ({ check }) => `Check ${the(check)}`,
  uncheck: ({ uncheck }) => `Uncheck ${the(uncheck)}`,
  press: ({ press }) => (typeof press === "string" ? `Press ${press}` : `Press ${press.key} in ${the(press.target)}`),
  hover: ({ hover }) => `Hover over ${the(hover)}`,
  upload: ({ upload: { name, target } }) => `Upload the file "${shorten(name)}" to ${the(target)}`,
  scroll: ({ scroll }) => `Scroll ${scroll === "down" || scroll === "up" ? scroll : `to the ${scroll}`}`,
  wait_for: ({ wait_for }) => describeWait(wait_for),
  dialog: ({ dialog }) => `${dialog === "accept" ? "Accept" : "Dismiss"} the dialog`,
  sign_in: ({ sign_in: { user } }) => `Sign in as ${shorten(user)} with the given password`,
  read: ({ read }) => describeRead(read),
  collect: ({ collect }) => describeCollect(collect),
  expect: ({ expect }) => `Expect that ${describeStatement(expect)}`,
  if: ({ if: statement, steps }) => `If ${describeStatement(statement)}: ${describeSteps(steps)}`,
  for_each: ({ for_each: { list }, steps }) =>
    `For each entry of ${list === undefined ? "the list" : `"${list}"`}, open its link: ${describeSteps(steps)}`,
  repeat_until: ({ repeat_until: stop, steps }) =>
    `Repeat until ${"text" in stop ? `the page says "${shorten(stop.text)}"` : `there is no ${describeTarget(toTarget(stop.gone))}`}: ${describeSteps(steps)}`,
};

function describeSteps(steps: readonly Step[]): string {
  return steps.map(describeStep).join("; ");
}

const SECRET = /\bpass ?(?:word|phrase|code)\b|\bpin\b|\bsecret\b/i;

/** Whether what is entered there must not be shown. */
export function isForSecret(target: string | Target): boolean {
  return SECRET.test(toTarget(target).name ?? "");
}

function the(target: string | Target): string {
  return `the ${describeTarget(toTarget(target)).replace(/^"/, 'element "')}`;
}

function describeEdit({
  target,
  replace,
  with: replacement = "",
  all,
  insert,
  after,
  append,
}: StepOf<"edit">["edit"]): string {
  const field = the(target);
  if (replace !== undefined)
    return `Replace ${all === true ? "every " : ""}${describeValue(replace)} with ${describeValue(replacement)} in ${field}`;
  if (insert !== undefined) return `Insert ${describeValue(insert)} after ${describeValue(after ?? "")} in ${field}`;
  return append === undefined ? `Clear ${field}` : `Add ${describeValue(append)} at the end of ${field}`;
}

function describeWait({ text, gone, seconds }: StepOf<"wait_for">["wait_for"]): string {
  const parts = [
    seconds === undefined ? "" : `${seconds} seconds`,
    text === undefined ? "" : `until the page says "${shorten(text)}"`,
    gone === undefined ? "" : `until "${shorten(gone)}" is gone`,
  ];
  return `Wait ${parts.filter(Boolean).join(" and ")}`;
}

function describeRead(step: ReadStep): string {
  const { label, row, column, list, field, heading, after, number_of, as, when, who, whether } = step;
  const subject = row === undefined ? "what the page is about" : `"${shorten(row)}"`;
  if (whether !== undefined) return `Read whether ${subject} is ${shorten(whether)}`;
  if (when !== undefined) return `Read the ${describeDate(step)} of ${subject}`;
  if (who !== undefined) return `Read the person of "${shorten(who)}" of ${subject}`;
  if (row !== undefined)
    return `Read ${column === undefined ? "the row" : `"${column}"`} of "${shorten(row)}"${list === undefined ? "" : ` in the list "${list}"`}`;
  if (field !== undefined) return `Read ${the(field)}`;
  if (heading === true) return "Read the main heading";
  if (after !== undefined) return `Read the text after "${shorten(after)}"`;
  return number_of === undefined
    ? `Read the value labelled "${shorten(label ?? as ?? "")}"`
    : `Read the number of ${shorten(number_of)} that the page states`;
}

function describeDate({ when = "", past }: ReadStep): string {
  return `${past === true ? "past " : ""}date of "${shorten(when)}"`;
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
        `${column === undefined ? "a column" : `"${column}"`} ${test.replaceAll("_", " ")} ${describeValue(wanted as string)}`,
    )
    .join(" and ");
}
