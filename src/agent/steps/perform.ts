import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { titleOf } from "../extraction/record-set.ts";
import { followTab, noteEffect } from "./changes.ts";
import { collect, collectRows } from "./collect.ts";
import { answerDialog, answerInWords, settleDialog } from "./dialogs.ts";
import { act, actOn, click, find, locate } from "./elements.ts";
import { describeStatement, expect, holds } from "./expectations.ts";
import { check, edit, fill, select } from "./fields.ts";
import { describeNode } from "./find-target.ts";
import { shorten } from "./names.ts";
import { read } from "./read.ts";
import { demandSuccess, type Running, type StepsRun } from "./run.ts";
import { type Step, type Target, toTarget } from "./step.ts";

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

/** A tab that is open already stays open. */
function* open(target: Target, run: StepsRun): Running {
  const found = find(target, "click", run);
  if (found.kind === "found" && found.node.role === "tab" && found.node.states.selected === true) {
    run.note(`${describeNode(found.node)} is open`);
    return;
  }
  yield* act(target, "click", {}, "Open", run);
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
