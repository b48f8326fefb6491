import type { Instruction } from "../instruction.ts";
import { isInside, type Spot } from "../matching/scene.ts";
import { simplify } from "../matching/words.ts";
import type { Target } from "../reading/target.ts";
import { clearTheWay } from "./clear-the-way.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { look } from "./locate.ts";
import { click, pressSpot } from "./press-it.ts";
import { setField } from "./set-field.ts";
import { suitsClick } from "./suits.ts";
import { demandSuccess } from "./touch.ts";

const YES =
  /^(?:ok|okay|yes|accept|accept all|agree|i agree|allow|allow all|confirm|continue|got it|understood|close|done)\b/;
const NO = /^(?:close|x|dismiss|cancel|no|no thanks?|decline|reject|deny|not now|later|skip|got it|ok)\b/;

/** Answers the browser's own dialog, or the one that the page shows. */
export function* answerDialog({ answer, text, button }: DialogAnswer, hand: Hand): Course {
  if (hand.observation.dialog !== null) return yield* answerBrowser(answer === "accept", text, hand);
  if (text !== null) yield* setField(null, { from: "task", text }, false, hand);
  const agreeing = answer === "accept" ? findAgreement(hand) : null;
  if (agreeing !== null) {
    yield* pressSpot(agreeing, () => findAgreement(hand), hand);
    return;
  }
  if (button !== null && isButton(button, hand)) return yield* click(button, false, hand);
  const spot = findAnswer(answer, hand);
  if (spot !== null) {
    yield* pressSpot(spot, () => findAnswer(answer, hand), hand);
    return;
  }
  if (answer === "dismiss" && (yield* clearTheWay(hand))) {
    hand.note("Put away what covered the page");
    return;
  }
  throw hand.stop("NOT_FOUND", `There is no dialog on the page to ${answer}.`);
}

/** A page of its own that asks "Delete this address?": its only button does what it asks. */
function findAgreement({ scene }: Hand): Spot | null {
  const heading = scene.spots.find(({ node }) => node.role === "heading" && (node.states.level ?? 1) === 1);
  const main = scene.spots.find(({ node }) => node.role === "main");
  if (scene.dialog !== null || heading === undefined || main === undefined) return null;
  const buttons = scene.spots.filter((spot) => isInside(spot, main) && spot.node.role === "button");
  const [only] = buttons.filter(({ node }) => !NO.test(simplify(node.name)));
  return /\?\s*$/.test(scene.textAt(heading)) && buttons.length === 1 ? (only ?? null) : null;
}

/** "confirm it" is a button where one says so, or where no dialog asks anything: a notice about cookies does not. */
function isButton(button: Target, hand: Hand): boolean {
  const { dialog } = hand.scene;
  if (dialog === null || /\b(?:cookies?|consent)\b/i.test(hand.scene.textAt(dialog))) return true;
  const spot = look(button, { suits: suitsClick }, hand);
  return spot !== null && (isInside(spot, dialog) || simplify(spot.node.name) === simplify(button.said));
}

type DialogAnswer = Pick<Instruction & { kind: "dialog" }, "answer" | "text" | "button">;

/** While the browser's dialog is open, "type X" and "press OK" are about it. True when that was so. */
export function* answerInWords(instruction: Instruction, hand: Hand): Course<boolean> {
  const { dialog } = hand.observation;
  if (dialog === null) return false;
  if (instruction.kind === "set" && dialog.kind === "prompt" && instruction.value.from === "task") {
    if (instruction.target !== null && !OWN_FIELD.test(instruction.target.said)) return false;
    hand.dialogText = instruction.value.text;
    return true;
  }
  if (instruction.kind !== "click") return false;
  const [, yes, no] = OWN_BUTTON.exec(instruction.target.said) ?? [];
  if (yes === undefined && no === undefined) return false;
  yield* answerBrowser(yes !== undefined, null, hand);
  return true;
}

const OWN_FIELD = /^(?:(?:browser|pop-?up)\s+)?(?:dialog(?:ue)?|prompt|pop-?up)(?: box| window| field)?$/i;
const OWN_BUTTON =
  /^(?:(ok(?:ay)?|yes)|(cancel|no))(?: button)?(?: (?:in|of|on) the (?:dialog|prompt|pop-?up|alert))?$/i;

/** A page that stands still until its dialog is answered: an alert says something, everything else asks. */
export function* settleDialog(hand: Hand): Course {
  const { dialog } = hand.observation;
  if (dialog === null) return;
  if (dialog.kind === "alert") return yield* answerBrowser(true, null, hand);
  const message = dialog.message.slice(0, 200);
  yield* answerBrowser(false, null, hand);
  throw hand.stop(
    "CONFIRMATION_NEEDED",
    `The page asks "${message}" and the task does not say what to answer: add "accept the dialog" if you agree.`,
  );
}

function* answerBrowser(accept: boolean, text: string | null, hand: Hand): Course {
  const message = hand.observation.dialog?.message.slice(0, 80) ?? "";
  const entered = accept ? (text ?? hand.dialogText) : null;
  hand.dialogText = null;
  const input = { accept, ...(entered === null ? {} : { text: entered }) };
  const report = yield* hand.act(
    [{ action: "dialog", input }],
    `${accept ? "Accept" : "Dismiss"} the dialog "${message}".`,
  );
  demandSuccess(report, "Answering the dialog", hand);
  hand.note(`${accept ? "Accepted" : "Dismissed"} the dialog "${message}"`);
}

function findAnswer(answer: "accept" | "dismiss", { scene }: Hand): Spot | null {
  const { dialog } = scene;
  const place = dialog ?? scene.spots[0];
  if (place === undefined) return null;
  const buttons = scene.spots.filter(
    (spot) => isInside(spot, place) && /^(?:button|link)$/.test(spot.node.role) && spot.node.ref !== null,
  );
  const pattern = answer === "accept" ? YES : NO;
  const named = buttons.filter(({ node }) => pattern.test(simplify(node.name) || toLetter(node.name)));
  if (dialog !== null || named.length === 1) return named[0] ?? (buttons.length === 1 ? (buttons[0] ?? null) : null);
  const aboutCookies = named.filter(({ node }) =>
    /cookie|accept all|allow all|reject all|close|dismiss/i.test(node.name),
  );
  return aboutCookies.length === 1 ? (aboutCookies[0] ?? null) : null;
}

function toLetter(name: string): string {
  return /^[×✕✖⨯]$/.test(name.trim()) ? "x" : "";
}
