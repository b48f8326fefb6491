import type { Instruction } from "../instruction.ts";
import { isCheckable } from "../matching/roles.ts";
import type { Target } from "../reading/target.ts";
import { answer } from "./answer.ts";
import { choose } from "./choose.ts";
import { completeField } from "./complete-field.ts";
import type { Course } from "./course.ts";
import { answerDialog, answerInWords, settleDialog } from "./dialogs.ts";
import { addToCart } from "./fill-cart.ts";
import type { Hand } from "./hand.ts";
import { checkIt } from "./handle-field.ts";
import { locate, look } from "./locate.ts";
import { followMenu } from "./menus.ts";
import { click, clickMany, open, pressSpot } from "./press-it.ts";
import { searchFor } from "./search-for.ts";
import { expand } from "./sections.ts";
import { setField } from "./set-field.ts";
import { signIn, signOut } from "./sign-in.ts";
import { awaitText, copy, doTo, drag, findIt, focusOn, scroll, waitSeconds } from "./small-moves.ts";
import { sortList } from "./sort-list.ts";
import { submitForm } from "./submit-form.ts";
import { suitsChecking } from "./suits.ts";
import { demandSuccess } from "./touch.ts";
import { goToPage } from "./turn-pages.ts";
import { noteEffect } from "./watch-effects.ts";

/** Does one thing that the task asks for, to the end: when it returns, it was seen to work. */
export function* carryOut(instruction: Instruction, hand: Hand): Course {
  if (yield* answerInWords(instruction, hand)) return;
  if (instruction.kind !== "dialog") yield* settleDialog(hand);
  switch (instruction.kind) {
    case "goto":
      return yield* goTo(instruction.url, hand);
    case "back":
      return yield* goBack(hand);
    case "reload":
      return yield* goTo(hand.observation.url, hand);
    case "click":
      return instruction.times === "once" || instruction.times === "double"
        ? yield* click(instruction.target, instruction.explores, hand, instruction.times === "double")
        : yield* clickMany(instruction.target, instruction.times, hand);
    case "open":
      return yield* open(instruction.target, hand);
    case "find":
      return yield* findIt(instruction.target, hand);
    case "set":
      return yield* setField(instruction.target, instruction.value, instruction.all, hand);
    case "choose":
      return yield* choose(instruction.options, instruction.from, hand);
    case "check":
      return yield* check(instruction.target, instruction.on, hand);
    case "ask":
      return yield* answer(instruction.question, instruction.isOnPage, instruction.said, hand);
    default:
      return yield* carryOutRarer(instruction, hand);
  }
}

type Rarer = Exclude<
  Instruction,
  { kind: "goto" | "back" | "reload" | "click" | "open" | "find" | "set" | "choose" | "check" | "ask" }
>;

function* carryOutRarer(instruction: Rarer, hand: Hand): Course {
  switch (instruction.kind) {
    case "search":
      return yield* searchFor(instruction.query, hand);
    case "sort":
      return yield* sortList(instruction.by, instruction.direction, hand);
    case "page":
      return yield* goToPage(instruction.which, hand);
    case "expand":
      return yield* expand(instruction.target, instruction.open, instruction.all, hand);
    case "menu":
      return yield* followMenu(instruction.path, hand);
    case "dialog":
      return yield* answerDialog(instruction, hand);
    case "add":
      return yield* addToCart(instruction.count, instruction.product, instruction.to, hand);
    case "submit":
      return yield* submitForm(hand);
    case "complete":
      return yield* completeField(instruction.target, instruction.start, instruction.end, hand);
    case "sign_in":
      return yield* signIn(instruction.user, instruction.password, hand);
    case "sign_out":
      return yield* signOut(hand);
    default:
      return yield* carryOutMove(instruction, hand);
  }
}

type Move = Exclude<
  Rarer,
  {
    kind:
      | "search"
      | "sort"
      | "page"
      | "expand"
      | "menu"
      | "dialog"
      | "add"
      | "submit"
      | "complete"
      | "sign_in"
      | "sign_out";
  }
>;

function* carryOutMove(instruction: Move, hand: Hand): Course {
  switch (instruction.kind) {
    case "hover":
      return yield* doTo(instruction.target, { action: "hover" }, hand);
    case "focus":
      return yield* focusOn(instruction.target, hand);
    case "clear":
      return yield* doTo(instruction.target, { action: "fill", text: "" }, hand);
    case "scroll":
      return yield* scroll(instruction.to, instruction.area, hand);
    case "wait":
      return yield* waitSeconds(instruction.seconds, hand);
    case "await":
      return yield* awaitText(instruction.text, instruction.gone, hand);
    case "press":
      return instruction.target === null
        ? yield* pressKeys(instruction.keys, hand)
        : yield* doTo(instruction.target, { action: "press", key: instruction.keys }, hand);
    case "drag":
      return yield* drag(instruction.target, instruction.to, hand);
    case "copy":
      return yield* copy(instruction.from, instruction.part, hand);
    case "nothing":
      return;
  }
}

function* goTo(url: string, hand: Hand): Course {
  const report = yield* hand.act([{ action: "goto", input: { url } }], `Open ${url}.`);
  demandSuccess(report, `Opening ${url}`, hand);
  hand.note(`Opened ${url}`);
}

function* goBack(hand: Hand): Course {
  const report = yield* hand.act([{ action: "back", input: {} }], "Go back to the page before.");
  demandSuccess(report, "Going back", hand);
  hand.note("Went back to the page before");
}

function* pressKeys(key: string, hand: Hand): Course {
  const before = hand.scene;
  const report = yield* hand.act([{ action: "press", input: { key } }], `Press ${key}.`);
  demandSuccess(report, `Pressing ${key}`, hand);
  noteEffect(`Pressed ${key}`, before, report, hand);
}

function* check(target: Target, on: boolean | "toggle", hand: Hand): Course {
  const search = { suits: suitsChecking, effort: "open" } as const;
  const spot = yield* locate(target, search, hand);
  const find = () => look(target, search, hand);
  if (on === "toggle" || !isCheckable(spot.node)) {
    const isOn = spot.node.states.checked === true || spot.node.states.pressed === true;
    if (on !== isOn) yield* pressSpot(spot, find, hand);
    return;
  }
  yield* checkIt(spot, on, find, hand);
}
