import { labelOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import type { ActionReport } from "../actions/action.ts";
import { titleOf } from "../extraction/record-set.ts";
import { contains } from "../grounding/captured-pages.ts";
import { parseDate } from "../grounding/dates.ts";
import { isSameValue, readText } from "../grounding/page-text.ts";
import { followTab, noteEffect } from "./changes.ts";
import { collect, collectRows } from "./collect.ts";
import { answerDialog, answerInWords, settleDialog } from "./dialogs.ts";
import { actOn, find, locate, use } from "./elements.ts";
import { describeNode, findRows, fold, isSameField, type Purpose, shorten } from "./find-target.ts";
import { read } from "./read.ts";
import { demandSuccess, type Running, type StepsRun } from "./run.ts";
import { type ExpectStep, type Step, type Target, toTarget } from "./step.ts";

/** Carries out one step. When it returns, the step was seen to work. */
export function* performStep(step: Step, run: StepsRun): Running {
  if (yield* answerInWords(step, run)) return;
  if (!("dialog" in step)) yield* settleDialog(run);
  if ("goto" in step) return yield* navigate("goto", { url: step.goto }, `Open ${step.goto}`, run);
  if ("back" in step) return yield* navigate("back", {}, "Go back to the previous page", run);
  if ("reload" in step) return yield* navigate("goto", { url: run.observation.url }, "Reload the page", run);
  if ("click" in step) return yield* click(toTarget(step.click), {}, run);
  if ("double_click" in step) return yield* click(toTarget(step.double_click), { double: true }, run);
  if ("open" in step) return yield* open(toTarget(step.open), run);
  if ("fill" in step)
    return yield* fill(toTarget(step.fill.target), String(step.fill.value), step.fill.submit === true, run);
  if ("edit" in step) return yield* edit(step.edit, run);
  if ("select" in step) return yield* select(step.select.target, String(step.select.value), run);
  if ("check" in step) return yield* check(toTarget(step.check), true, run);
  if ("uncheck" in step) return yield* check(toTarget(step.uncheck), false, run);
  return yield* performOther(step, run);
}

type Other = Exclude<
  Step,
  | { goto: unknown }
  | { back: unknown }
  | { reload: unknown }
  | { click: unknown }
  | { double_click: unknown }
  | { open: unknown }
  | { fill: unknown }
  | { edit: unknown }
  | { select: unknown }
  | { check: unknown }
  | { uncheck: unknown }
>;

function* performOther(step: Other, run: StepsRun): Running {
  if ("press" in step) return yield* press(step.press, run);
  if ("hover" in step) return yield* act(toTarget(step.hover), "hover", {}, "Hover over", run);
  if ("upload" in step) {
    const { target, name, content } = step.upload;
    return yield* act(toTarget(target), "upload", { name, content }, `Upload "${shorten(name)}" to`, run, "upload");
  }
  if ("scroll" in step) return yield* scroll(step.scroll, run);
  if ("wait_for" in step) return yield* waitFor(step.wait_for, run);
  if ("dialog" in step) return yield* answerDialog(step.dialog, step.text ?? null, run);
  if ("sign_in" in step) return yield* signIn(step.sign_in, run);
  if ("read" in step) return yield* read(step.read, run);
  if ("collect" in step) return yield* collect(step.collect, run);
  if ("expect" in step) return yield* expect(step.expect, run);
  if ("if" in step) return yield* performIf(step, run);
  if ("for_each" in step) return yield* forEach(step, run);
  return yield* repeatUntil(step, run);
}

function* navigate(action: string, input: Record<string, unknown>, why: string, run: StepsRun): Running {
  const report = yield* run.act([{ action, input }], `${why}.`);
  demandSuccess(report, why, run);
  run.note(`${why}: done`);
}

/** Click, hover, upload: the element is found by its target, and the effect is noted. */
function* act(
  target: Target,
  action: string,
  input: Record<string, unknown>,
  verb: string,
  run: StepsRun,
  purpose: Purpose = "click",
): Running {
  const before = run.observation;
  const { report, node } = yield* use({ target, purpose, action, input, why: (name) => `${verb} ${name}.` }, run);
  const what = `${verb} ${describeNode(node)}`;
  demandSuccess(report, what, run);
  yield* followTab(report, run);
  noteEffect(what, before, report, run);
}

function* click(target: Target, input: Record<string, unknown>, run: StepsRun): Running {
  yield* act(target, "click", input, input["double"] === true ? "Double-click" : "Click", run);
}

/** A tab that is open already stays open. */
function* open(target: Target, run: StepsRun): Running {
  const found = find(target, "click", run);
  if (found.kind === "found" && found.node.role === "tab" && found.node.states.selected === true) {
    run.note(`${describeNode(found.node)} is open`);
    return;
  }
  yield* act(target, "click", {}, "Open", run);
}

const ON = /^(?:on|yes|true|checked|enabled|ticked|1)$/i;
const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

/** Text into a field; an option of a list, or the state of a checkbox, when the target is one. */
function* fill(target: Target, value: string, submit: boolean, run: StepsRun): Running {
  const found = find(target, "fill", run);
  if (found.kind === "none") {
    const box = find(target, "check", run);
    if (box.kind === "found") return yield* check(target, ON.test(value), run);
  }
  const node = yield* locate(target, "fill", run);
  if (node.field?.type === "select" || node.role === "listbox") return yield* selectIn(target, value, run);
  if (CHECKABLE.has(node.role)) return yield* check(target, ON.test(value), run);
  yield* write(target, value, submit, run);
}

function* write(target: Target, text: string, submit: boolean, run: StepsRun): Running {
  const before = run.observation;
  const { field } = yield* locate(target, "fill", run);
  const isSecret = field?.isSecret === true;
  // A date field takes one form only, whatever its language shows.
  const value = field?.type === "date" ? (parseDate(text)?.day ?? text) : text;
  const input = { text: value, ...(submit ? { submit } : {}) };
  const shown = isSecret ? "the given secret" : `"${shorten(value)}"`;
  const isSearch = submit && target.role === "search field";
  const toWords = (name: string) => (isSearch ? `Search for ${shown} in ${name}` : `Enter ${shown} into ${name}`);
  const { report, node } = yield* use(
    { target, purpose: "fill", action: "fill", input, why: (name) => `${toWords(name)}.` },
    run,
  );
  const what = toWords(describeNode(node));
  demandSuccess(report, what, run);
  run.lastField = node;
  if (submit) yield* followTab(report, run);
  else noteEntry(node, value, report, run);
  noteEffect(what, before, report, run);
}

/** A field that keeps its value is checked at the end. Secrets are never compared. */
function noteEntry(node: ObservedNode, value: string, { urlBefore, urlAfter }: ActionReport, run: StepsRun): void {
  const label = labelOf(node);
  if (node.field?.isSecret === true || urlBefore !== urlAfter) return;
  const same = run.conditions.findIndex(
    (known) => known.kind === "field" && known.url === urlAfter && known.label === label,
  );
  if (same !== -1) run.conditions.splice(same, 1);
  run.conditions.push({
    kind: "field",
    url: urlAfter,
    label,
    value,
    isSaved: false,
    about: `${capitalize(describeNode(node))} holds "${shorten(value)}"`,
  });
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type Edit = Extract<Step, { edit: unknown }>["edit"];

function* edit(change: Edit, run: StepsRun): Running {
  const target = toTarget(change.target);
  const node = yield* locate(target, "fill", run);
  yield* write(target, edited(node.value ?? "", change, run), false, run);
}

/** The new text of a field. What is to be replaced must be there just once, unless all of it is meant. */
function edited(
  text: string,
  { replace, with: replacement = "", all, insert, after, append, clear }: Edit,
  run: StepsRun,
): string {
  if (clear === true) return "";
  if (append !== undefined)
    return text === "" || /\s$/.test(text) || /^\s/.test(append)
      ? text + append
      : `${text}${text.includes("\n") ? "\n" : " "}${append}`;
  const anchor = replace ?? after ?? "";
  const parts = anchor === "" ? [text] : text.split(anchor);
  if (parts.length === 1) throw run.stop("TEXT_NOT_FOUND", `The field does not contain "${shorten(anchor)}".`);
  if (parts.length > 2 && all !== true) {
    throw run.stop(
      "AMBIGUOUS",
      `The field contains "${shorten(anchor)}" ${parts.length - 1} times. Say "all", or give more of the text around it.`,
    );
  }
  return parts.join(replace === undefined ? `${anchor}${insert ?? ""}` : replacement);
}

/** An option of a list; without a list, the only radio button, option or tab of that name. */
function* select(list: string | Target | undefined, value: string, run: StepsRun): Running {
  if (list !== undefined) return yield* selectIn(toTarget(list), value, run);
  for (const role of ["radio", "option", "checkbox", "tab", "menu item", "button", "link"]) {
    const found = find({ role, name: value }, "click", run);
    if (found.kind === "several") throw run.stop("AMBIGUOUS", found.reason);
    if (found.kind !== "found" || !isOfRole(found.node, role)) continue;
    if (role === "radio" || role === "checkbox") return yield* check({ role, name: value }, true, run);
    const owner = role === "option" ? findOwner(found.node, run) : null;
    if (owner !== null) return yield* selectIn({ name: labelOf(owner), role: "list" }, value, run);
    return yield* click({ role, name: value }, {}, run);
  }
  throw run.stop("NOT_FOUND", `The page has no option, radio button or tab "${shorten(value)}".`);
}

function isOfRole(node: ObservedNode, role: string): boolean {
  return role === "menu item" ? node.role.startsWith("menuitem") : node.role === role;
}

/** The list that an option belongs to; null when the list has no name to find it by. */
function findOwner(option: ObservedNode, { observation }: StepsRun): ObservedNode | null {
  const place = [...walk(observation.root)].find(({ node }) => node === option);
  const owner = place?.ancestors.findLast(({ role }) => role === "combobox" || role === "listbox");
  return owner === undefined || owner.ref === null || labelOf(owner) === "" ? null : owner;
}

function* selectIn(target: Target, value: string, run: StepsRun): Running {
  const before = run.observation;
  demandOption(yield* locate(target, "select", run), value, run);
  const { report, node } = yield* use(
    {
      target,
      purpose: "select",
      action: "select",
      input: { options: [value] },
      why: (name) => `Select "${shorten(value)}" in ${name}.`,
    },
    run,
  );
  const what = `Select "${shorten(value)}" in ${describeNode(node)}`;
  demandSuccess(report, what, run);
  run.lastField = node;
  const now = [...walk(run.observation.root)].find(({ node: own }) => isSameField(own, node))?.node;
  noteEntry(node, now?.value ?? value, report, run);
  noteEffect(what, before, report, run);
}

/** Of a list that shows its options, one must have just this name: "Pro" is not "Pro Plus". */
function demandOption(list: ObservedNode, value: string, run: StepsRun): void {
  const options = [...walk(list)].filter(({ node }) => node.role === "option").map(({ node }) => readText(node));
  if (options.length === 0 || options.some((option) => fold(option) === fold(value))) return;
  const names = options.slice(0, 8).map((option) => `"${shorten(option, 40)}"`);
  throw run.stop(
    "NOT_FOUND",
    `${capitalize(describeNode(list))} has no option "${shorten(value)}". It has: ${names.join(", ")}.`,
  );
}

function* check(target: Target, checked: boolean, run: StepsRun): Running {
  const before = run.observation;
  const verb = checked ? "Check" : "Uncheck";
  const { report, node } = yield* use(
    { target, purpose: "check", action: "check", input: { checked }, why: (name) => `${verb} ${name}.` },
    run,
  );
  demandSuccess(report, `${verb} ${describeNode(node)}`, run);
  run.lastField = node;
  noteEntry(node, checked ? "checked" : "unchecked", report, run);
  noteEffect(`${verb} ${describeNode(node)}`, before, report, run);
}

type Press = Extract<Step, { press: unknown }>["press"];

function* press(step: Press, run: StepsRun): Running {
  const key = typeof step === "string" ? step : step.key;
  if (typeof step !== "string") {
    yield* act(toTarget(step.target), "press", { key }, `Press ${key} in`, run, "fill");
    return;
  }
  const before = run.observation;
  const report = yield* run.act([{ action: "press", input: { key } }], `Press ${key}.`);
  demandSuccess(report, `Press ${key}`, run);
  yield* followTab(report, run);
  noteEffect(`Press ${key}`, before, report, run);
}

function* scroll(to: "down" | "up" | "bottom" | "top", run: StepsRun): Running {
  const direction = to === "down" || to === "bottom" ? "down" : "up";
  const screens = to === direction ? 1 : 20;
  const report = yield* run.act(
    [{ action: "scroll", input: { direction, screens } }],
    `Scroll ${to === direction ? to : `to the ${to}`}.`,
  );
  demandSuccess(report, "Scroll", run);
  run.note(`Scrolled ${to === direction ? to : `to the ${to}`}`);
}

type WaitFor = Extract<Step, { wait_for: unknown }>["wait_for"];

function* waitFor({ text, gone, seconds }: WaitFor, run: StepsRun): Running {
  if (seconds !== undefined) {
    yield* run.pause(seconds * 1_000);
    yield* run.look(`Wait ${seconds} seconds.`);
  }
  if (text === undefined && gone === undefined) return;
  const what = text === undefined ? `Wait until "${shorten(gone ?? "")}" is gone` : `Wait for "${shorten(text)}"`;
  const report = yield* run.act(
    [{ action: "wait_for", input: { ...(text === undefined ? { gone } : { text }) } }],
    `${what}.`,
  );
  demandSuccess(report, what, run);
  run.note(`${what}: done`);
}

/** The form with the password field: the text field before it takes the user's name. */
function* signIn({ user, password }: { user: string; password: string }, run: StepsRun): Running {
  const fields = [...walk(run.observation.root)]
    .map(({ node }) => node)
    .filter((node) => node.ref !== null && node.field !== null);
  const at = fields.findIndex(({ field }) => field?.type === "password");
  const name = fields.slice(0, at).findLast(({ role, field }) => role === "textbox" && field?.type !== "search");
  if (at === -1 || name === undefined)
    throw run.stop("NOT_FOUND", "The page has no form with a user name and a password.");
  demandSuccess(
    yield* actOn(name, "fill", { text: user }, `Enter the user name into ${describeNode(name)}.`, run),
    "Enter the user name",
    run,
  );
  const secret = [...walk(run.observation.root)].find(
    ({ node }) => node.field?.type === "password" && node.ref !== null,
  )?.node;
  if (secret === undefined) throw run.stop("NOT_FOUND", "The password field disappeared.");
  const before = run.observation;
  const report = yield* actOn(
    secret,
    "fill",
    { text: password, submit: true },
    "Enter the password and press Enter.",
    run,
  );
  demandSuccess(report, "Sign in", run);
  noteEffect("Sign in", before, report, run);
}

/** Stops unless the page is as expected. What was seen is checked again by the verifier. */
function* expect(statement: ExpectStep, run: StepsRun): Running {
  const { url } = run.observation;
  if (!(yield* holdsSoon(statement, run)))
    throw run.stop("NOT_AS_EXPECTED", `It was expected that ${describeStatement(statement)}, but that is not so.`);
  const about = capitalize(describeStatement(statement));
  const shown = statement.text ?? statement.row;
  const absent = statement.no_text ?? statement.no_row;
  if (shown !== undefined) run.conditions.push({ kind: "text", url, text: shown, about });
  else if (absent !== undefined) run.conditions.push({ kind: "absent", url, text: absent, about });
  else run.note(about);
}

const PATIENCE_MS = 1500;

function* holdsSoon(statement: ExpectStep, run: StepsRun): Running<boolean> {
  if (holds(statement, run)) return true;
  yield* run.pause(PATIENCE_MS);
  yield* run.look("Wait for the page to show it.");
  return holds(statement, run);
}

function holds({ text, no_text, field, value, row, no_row, url }: ExpectStep, run: StepsRun): boolean {
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

type If = Extract<Step, { if: unknown }>;

function* performIf({ if: statement, steps }: If, run: StepsRun): Running {
  // A field that is not there holds neither this nor anything else.
  if (statement.field !== undefined) yield* locate(toTarget(statement.field), "read", run);
  if (!holds(statement, run)) {
    run.note(`It is not so that ${describeStatement(statement)}: nothing to do`);
    return;
  }
  for (const step of steps) yield* performStep(step, run);
}

type ForEach = Extract<Step, { for_each: unknown }>;

const MAX_ENTRIES = 100;

/** Opens the link of each entry of a list, on all its pages, and carries out the steps there. */
function* forEach({ for_each: { list, limit }, steps }: ForEach, run: StepsRun): Running {
  const { merged, rows } = yield* collectRows(
    { ...(list === undefined ? {} : { list }), ...(limit === undefined ? {} : { limit }) },
    run,
  );
  const entries = rows.map((row) => ({
    title: titleOf(row, merged.set)?.text ?? "",
    url: titleOf(row, merged.set)?.url ?? findLink(row.node),
  }));
  const unlinked = entries.find(({ url }) => url === null);
  if (unlinked !== undefined) throw run.stop("NOT_FOUND", `The entry "${shorten(unlinked.title)}" has no link.`);
  if (entries.length > MAX_ENTRIES)
    throw run.stop(
      "TOO_MANY",
      `The list has ${entries.length} entries; at most ${MAX_ENTRIES} can be opened. Add a limit.`,
    );
  for (const { title, url } of entries) {
    yield* navigate("goto", { url }, `Open "${shorten(title || (url ?? ""))}"`, run);
    run.prefix = title || (url ?? "");
    for (const step of steps) yield* performStep(step, run);
  }
  run.prefix = "";
}

function findLink(node: ObservedNode): string | null {
  return [...walk(node)].find(({ node: inner }) => inner.role === "link" && inner.url !== null)?.node.url ?? null;
}

type Repeat = Extract<Step, { repeat_until: unknown }>;

const MAX_ROUNDS = 50;

function* repeatUntil({ repeat_until: stop, steps, limit = MAX_ROUNDS }: Repeat, run: StepsRun): Running {
  for (let round = 0; ; round++) {
    const isDone = "text" in stop ? holds({ text: stop.text }, run) : isGone(toTarget(stop.gone), run);
    if (isDone) return;
    if (round >= limit) throw run.stop("TOO_MANY", `The end was not reached after ${limit} rounds.`);
    for (const step of steps) yield* performStep(step, run);
  }
}

/** Gone, or there but disabled. */
function isGone(target: Target, run: StepsRun): boolean {
  const found = find(target, "click", run);
  return found.kind === "none" || (found.kind === "found" && found.node.states.disabled === true);
}
