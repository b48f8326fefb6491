import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { titleOf } from "../extraction/record-set.ts";
import { fold } from "../grounding/names.ts";
import { findArea } from "./areas.ts";
import { awaitEffect, followTab, noteEffect } from "./changes.ts";
import { collect, collectRows } from "./collect.ts";
import { answerDialog, answerInWords, settleDialog } from "./dialogs.ts";
import { act, actOn, find, locate } from "./elements.ts";
import { describeStatement, expect, holds, refuseMorePages } from "./expectations.ts";
import { check, edit, fill, select } from "./fields.ts";
import { describeNode } from "./find-target.ts";
import { mainHeadings } from "./lists.ts";
import { shorten } from "./names.ts";
import { read } from "./read.ts";
import { demandSuccess, type Running, type StepsRun } from "./run.ts";
import { type Kind, type Step, type StepOf, type Target, toTarget } from "./step.ts";

/** Carries out one step. When it returns, the step was seen to work. */
export function* performStep(step: Step, run: StepsRun): Running {
  if (yield* answerInWords(step, run)) return;
  if (!("dialog" in step)) yield* settleDialog(run);
  // On a large page a step takes long, and so did the one before it.
  yield* run.pause(0);
  const [kind] = Object.keys(step) as [Kind];
  if (READING.has(kind)) yield* awaitEffect(run);
  yield* (PERFORM[kind] as (step: Step, run: StepsRun) => Running)(step, run);
}

/** Steps that depend on what the page says. */
const READING: ReadonlySet<Kind> = new Set(["read", "collect", "expect", "if", "for_each"]);

const PERFORM: { readonly [K in Kind]: (step: StepOf<K>, run: StepsRun) => Running } = {
  goto: (step, run) => carryOut("goto", { url: step.goto }, `Open ${step.goto}`, run),
  back: (_, run) => carryOut("back", {}, "Go back to the previous page", run),
  reload: (_, run) => carryOut("goto", { url: run.observation.url }, "Reload the page", run),
  click: (step, run) => act(toTarget(step.click), "click", {}, "Click", run),
  double_click: (step, run) => act(toTarget(step.double_click), "click", { double: true }, "Double-click", run),
  open: (step, run) => open(toTarget(step.open), run),
  fill: ({ fill: { target, value, submit } }, run) => fill(toTarget(target), String(value), submit === true, run),
  edit: (step, run) => edit(step.edit, run),
  select: ({ select: { target, value } }, run) => select(target, String(value), run),
  check: (step, run) => check(toTarget(step.check), true, run),
  uncheck: (step, run) => check(toTarget(step.uncheck), false, run),
  press: (step, run) => press(step.press, run),
  hover: (step, run) => act(toTarget(step.hover), "hover", {}, "Hover over", run),
  upload: ({ upload: { target, name, content } }, run) =>
    act(toTarget(target), "upload", { name, content }, `Upload "${shorten(name)}" to`, run, "upload"),
  scroll: (step, run) => scroll(step.scroll, run),
  wait_for: (step, run) => waitFor(step.wait_for, run),
  dialog: (step, run) => answerDialog(step.dialog, step.text ?? null, run),
  sign_in: (step, run) => signIn(step.sign_in, run),
  read: (step, run) => read(step.read, run),
  collect: (step, run) => collect(step.collect, run),
  expect: (step, run) => expect(step.expect, run),
  if: performIf,
  for_each: forEach,
  repeat_until: repeatUntil,
};

function* performAll(steps: readonly Step[], run: StepsRun): Running {
  for (const step of steps) yield* performStep(step, run);
}

function* carryOut(action: string, input: Record<string, unknown>, why: string, run: StepsRun): Running {
  yield* run.perform({ action, input }, why);
  run.note(`${why}: done`);
}

/** A tab that is open already stays open, and so does a section or a page that is there and has no link. */
function* open(target: Target, run: StepsRun): Running {
  const { role, name = "" } = target;
  const { observation } = run;
  const isThere =
    role === "section" && findArea(observation, [...walk(observation.root)], { section: name }).length > 0;
  const wanted = role === "section" ? { ...target, role: "page" } : target;
  const found = find(wanted, "click", run);
  const isOpen = found.kind === "found" && found.node.role === "tab" && found.node.states.selected === true;
  const isPage =
    found.kind === "none" && role === "page" && mainHeadings(observation).some((text) => fold(text) === fold(name));
  if (isThere || isOpen || isPage) {
    run.note(`${found.kind === "found" ? describeNode(found.node) : `"${shorten(name)}"`} is open`);
    return;
  }
  yield* act(wanted, "click", {}, "Open", run);
}

function* press(step: StepOf<"press">["press"], run: StepsRun): Running {
  if (typeof step !== "string")
    return yield* act(toTarget(step.target), "press", { key: step.key }, `Press ${step.key} in`, run, "fill");
  const effect = yield* run.perform({ action: "press", input: { key: step } }, `Press ${step}`);
  yield* followTab(effect.report, run);
  noteEffect(effect, run);
}

function* scroll(to: StepOf<"scroll">["scroll"], run: StepsRun): Running {
  const isStep = to === "down" || to === "up";
  const input = { direction: to === "down" || to === "bottom" ? "down" : "up", screens: isStep ? 1 : 20 };
  const where = isStep ? to : `to the ${to}`;
  yield* run.perform({ action: "scroll", input }, `Scroll ${where}`);
  run.note(`Scrolled ${where}`);
}

function* waitFor({ text, gone, seconds }: StepOf<"wait_for">["wait_for"], run: StepsRun): Running {
  if (seconds !== undefined) {
    yield* run.pause(seconds * 1_000);
    yield* run.look(`Wait ${seconds} seconds.`);
  }
  if (text === undefined && gone === undefined) return;
  const what = text === undefined ? `Wait until "${shorten(gone ?? "")}" is gone` : `Wait for "${shorten(text)}"`;
  const input = text === undefined ? { gone } : { text };
  yield* carryOut("wait_for", input, what, run);
}

/** The form with the password field: the text field before it takes the user's name. */
function* signIn({ user, password }: StepOf<"sign_in">["sign_in"], run: StepsRun): Running {
  const { name } = findSignIn(run);
  const what = `Enter the user name into ${describeNode(name)}`;
  demandSuccess(yield* actOn(name, "fill", { text: user }, `${what}.`, run), what, run);
  const { secret } = findSignIn(run);
  const before = run.observation;
  const input = { text: password, submit: true };
  const report = yield* actOn(secret, "fill", input, "Enter the password and press Enter.", run);
  demandSuccess(report, "Sign in", run);
  noteEffect({ what: "Sign in", before, report }, run);
}

function findSignIn(run: StepsRun): { name: ObservedNode; secret: ObservedNode } {
  const nodes = [...walk(run.observation.root)].map(({ node }) => node);
  const fields = nodes.filter((node) => node.ref !== null && node.field !== null);
  const at = fields.findIndex(({ field }) => field?.type === "password");
  const secret = fields[at];
  const name = fields.slice(0, at).findLast(({ role, field }) => role === "textbox" && field?.type !== "search");
  if (secret === undefined || name === undefined)
    throw run.stop("NOT_FOUND", "The page has no form with a user name and a password.");
  return { name, secret };
}

function* performIf({ if: statement, steps }: StepOf<"if">, run: StepsRun): Running {
  // A field that is not there holds neither this nor anything else.
  if (statement.field !== undefined) yield* locate(toTarget(statement.field), "read", run);
  refuseMorePages(statement, run);
  if (!holds(statement, run)) {
    run.note(`It is not so that ${describeStatement(statement)}: nothing to do`);
    return;
  }
  yield* performAll(steps, run);
}

const MAX_ENTRIES = 100;

/** Opens the link of each entry of a list, on all its pages, and carries out the steps there. */
function* forEach({ for_each: list, steps }: StepOf<"for_each">, run: StepsRun): Running {
  const { merged, rows } = yield* collectRows(list, run);
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
    yield* carryOut("goto", { url }, `Open "${shorten(title || (url ?? ""))}"`, run);
    run.prefix = title || (url ?? "");
    yield* performAll(steps, run);
  }
  run.prefix = "";
}

function findLink(node: ObservedNode): string | null {
  return [...walk(node)].find(({ node: inner }) => inner.role === "link" && inner.url !== null)?.node.url ?? null;
}

const MAX_ROUNDS = 50;

function* repeatUntil(
  { repeat_until: stop, steps, limit = MAX_ROUNDS }: StepOf<"repeat_until">,
  run: StepsRun,
): Running {
  for (let round = 0; ; round++) {
    yield* awaitEffect(run);
    const isDone = "text" in stop ? holds({ text: stop.text }, run) : isGone(toTarget(stop.gone), run);
    if (isDone) return;
    if (round >= limit) throw run.stop("TOO_MANY", `The end was not reached after ${limit} rounds.`);
    yield* performAll(steps, run);
  }
}

/** Gone, or there but disabled. */
function isGone(target: Target, run: StepsRun): boolean {
  const found = find(target, "click", run);
  return found.kind === "none" || (found.kind === "found" && found.node.states.disabled === true);
}
