import { isInside, type Spot } from "../matching/scene.ts";
import { simplify } from "../matching/words.ts";
import { clearTheWay } from "./clear-the-way.ts";
import type { Course } from "./course.ts";
import type { Hand } from "./hand.ts";
import { pressSpot } from "./press-it.ts";
import { demandSuccess } from "./touch.ts";

const YES =
  /^(?:ok|okay|yes|accept|accept all|agree|i agree|allow|allow all|confirm|continue|got it|understood|close|done)\b/;
const NO = /^(?:close|x|dismiss|cancel|no|no thanks?|decline|reject|deny|not now|later|skip|got it|ok)\b/;

/** Answers the browser's own dialog, or the one that the page shows. */
export function* answerDialog(answer: "accept" | "dismiss", text: string | null, hand: Hand): Course {
  if (hand.observation.dialog !== null) return yield* answerBrowser(answer === "accept", text, hand);
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
  const input = { accept, ...(text === null ? {} : { text }) };
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
