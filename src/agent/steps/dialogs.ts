import { labelOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { isDialog } from "./areas.ts";
import { noteEffect } from "./changes.ts";
import { actOn } from "./elements.ts";
import { describeNode } from "./find-target.ts";
import { shorten } from "./names.ts";
import { demandSuccess, type Running, type StepsRun } from "./run.ts";
import { type Step, toTarget } from "./step.ts";

const DIALOG = /^(?:dialog|dialogue|pop-up|popup|prompt|question|message)$/i;

/** While the browser's own dialog is open, "type X" and "click OK" are about it. True when that was so. */
export function* answerInWords(step: Step, run: StepsRun): Running<boolean> {
  const { dialog } = run.observation;
  if (dialog === null) return false;
  if ("fill" in step && dialog.kind === "prompt" && DIALOG.test(toTarget(step.fill.target).name ?? "dialog")) {
    run.dialogText = String(step.fill.value);
    return true;
  }
  const name = "click" in step ? (toTarget(step.click).name ?? "") : "";
  const isYes = /^(?:ok|okay|yes)$/i.test(name);
  if (!isYes && !/^(?:cancel|no)$/i.test(name)) return false;
  yield* answerBrowser(isYes, null, run);
  return true;
}

/** The page stands still until its dialog is answered. An alert only says something; everything else asks. */
export function* settleDialog(run: StepsRun): Running {
  const { dialog } = run.observation;
  if (dialog === null) return;
  if (dialog.kind === "alert") return yield* answerBrowser(true, null, run);
  yield* answerBrowser(false, null, run);
  throw run.stop(
    "CONFIRMATION_NEEDED",
    `The page asks "${shorten(dialog.message, 200)}" and the steps do not say what to answer. Add "accept the dialog" if you agree.`,
  );
}

const NO = /^(?:no\b|cancel|keep|don['’]?t|do not|back|never mind|not now|dismiss|close|decline|reject|×|x$)/i;

/** Answers the browser's dialog; else the dialog of the page, or the page that only asks, with the one button that says so. */
export function* answerDialog(answer: "accept" | "dismiss", text: string | null, run: StepsRun): Running {
  if (run.observation.dialog !== null) return yield* answerBrowser(answer === "accept", text, run);
  const buttons = findAnswers(answer, run);
  const [button, ...others] = buttons;
  if (button === undefined) throw run.stop("NOT_FOUND", `There is no dialog on the page to ${answer}.`);
  if (others.length > 0) {
    throw run.stop(
      "AMBIGUOUS",
      `The dialog has several buttons: ${buttons.map(describeNode).join(", ")}. Say which to click.`,
    );
  }
  const before = run.observation;
  const what = `Click ${describeNode(button)}`;
  const report = yield* actOn(button, "click", {}, `${what}.`, run);
  demandSuccess(report, what, run);
  noteEffect({ what, before, report }, run);
}

/** The buttons of the open dialog; without one, of a page whose main heading is a question. There "no" is often a link. */
function findAnswers(answer: "accept" | "dismiss", { observation: { root } }: StepsRun): ObservedNode[] {
  const nodes = [...walk(root)].map(({ node }) => node);
  const dialog = nodes.findLast(isDialog);
  const isAsking = nodes.some(
    ({ role, name, states }) => role === "heading" && (states.level ?? 1) <= 2 && /\?\s*$/.test(name),
  );
  const place = dialog ?? (isAsking ? nodes.find(({ role }) => role === "main") : undefined);
  if (place === undefined) return [];
  return [...walk(place)]
    .map(({ node }) => node)
    .filter((node) => node.ref !== null && NO.test(labelOf(node).trim()) === (answer === "dismiss"))
    .filter(({ role }) => role === "button" || (role === "link" && dialog === undefined && answer === "dismiss"));
}

function* answerBrowser(accept: boolean, text: string | null, run: StepsRun): Running {
  const message = shorten(run.observation.dialog?.message ?? "");
  const entered = accept ? (text ?? run.dialogText) : null;
  run.dialogText = null;
  const input = { accept, ...(entered === null ? {} : { text: entered }) };
  const what = `${accept ? "Accept" : "Dismiss"} the dialog "${message}"`;
  noteEffect(yield* run.perform({ action: "dialog", input }, what), run);
}
