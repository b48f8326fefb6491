// @ts-check
/** @import { LiveInput, LivePage, LivePhase, ServiceMessage } from "../../../contract/live-view.ts" */
import { createAddressBar, readAddress } from "./address-bar.js";
import { createAnnouncer } from "./announcer.js";
import { createChoices } from "./choices.js";
import { Connection } from "./connection.js";
import { element } from "./element.js";
import { createEndings } from "./endings.js";
import { createHelp } from "./help.js";
import { createIdleWarning } from "./idle-warning.js";
import { watchKeyboard } from "./keyboard.js";
import { createKeyboardFocus } from "./keyboard-focus.js";
import { watchMouse } from "./mouse.js";
import { createNotices } from "./notices.js";
import { createPageState } from "./page-state.js";
import { createPaster } from "./paster.js";
import { createPhase } from "./phase.js";
import { Picture } from "./picture.js";
import { createSiteDialog } from "./site-dialog.js";
import { sizeOf, watchStage } from "./stage.js";
import { createTabs } from "./tabs.js";
import { watchTextInput } from "./text-input.js";
import { createToast } from "./toast.js";
import { watchTouch } from "./touch.js";
import { createTouchKeyboard } from "./touch-keyboard.js";
import { watchWheel } from "./wheel.js";

const live = element("live", HTMLElement);
const stage = element("stage", HTMLElement);
const canvas = element("picture", HTMLCanvasElement);
const keys = element("keys", HTMLTextAreaElement);
const { socket: address = "", ticket = "", site = "", application = "" } = live.dataset;
const isTouch = matchMedia("(pointer: coarse)").matches;
// Without script nobody sees it; before it is shown, the room for the picture cannot be measured.
live.hidden = false;

/** @param {LiveInput} input */
function send(input) {
  if (WRITING.has(input.type)) phase.calm();
  connection.send({ type: "input", input });
}

const WRITING = new Set(["key", "text", "paste"]);

/** Any input is a sign of life; this one does nothing on any site. @type {LiveInput} */
const STILL_HERE = { type: "pointer", kind: "move", x: 0, y: 0, button: "none", buttons: 0, clicks: 0, modifiers: 0 };

let host = site;
let isUnderWay = false;
const keyboardFocus = createKeyboardFocus(keys, stage);
const notices = createNotices();
const announcer = createAnnouncer(element("announcements", HTMLElement));
const pageState = createPageState({ site, notices, send });
const phase = createPhase({ site, onConfirm: () => connection.send({ type: "confirm" }) });
const idle = createIdleWarning(() => send(STILL_HERE));
const endings = createEndings({
  application,
  notices,
  onEnd: () => connection.end(),
  onStill() {
    phase.end();
    idle.show(null);
  },
});
const toast = createToast();
const addressBar = createAddressBar(send);
const tabs = createTabs(send);
const siteDialog = createSiteDialog({ send, getHost: () => host });
const choices = createChoices(send);
const touchKeyboard = createTouchKeyboard(keys, element("keyboard-button", HTMLButtonElement));
const paste = createPaster({ send, toast, focusPicture: keyboardFocus.take });
createHelp();

const picture = new Picture(canvas, (number) => {
  connection.send({ type: "drawn", number });
  pageState.onDrawn(() => picture.isBlank());
});

const connection = new Connection({
  address,
  ticket,
  onOpen: () => connection.send({ type: "hello", ...sizeOf(stage), isTouch }),
  onMessage: receive,
  onFrame: (frame) => picture.show(frame),
  onDropped: endings.onDropped,
  onEnd: endings.onGone,
});

/** @param {ServiceMessage} message */
function receive(message) {
  switch (message.type) {
    case "welcome":
      return endings.onWelcome();
    case "page":
      return showPage(message.page);
    case "field":
      announcer.onField(message.field);
      return isTouch && touchKeyboard.onField(message.field);
    case "dialog":
      return siteDialog.show(message.dialog);
    case "choices":
      return choices.show(message.choices);
    case "phase":
      return showPhase(message);
    case "idle":
      return idle.show(message.endsInSeconds);
    case "over":
      return endings.onOver(message);
  }
}

/** @param {LivePhase} message */
function showPhase(message) {
  const isOpening = message.phase === "opening";
  if (isOpening && isUnderWay) startAnew();
  isUnderWay = !isOpening;
  phase.show(message);
}

/** The browser of before has gone with its process, and what it showed and asked with it. */
function startAnew() {
  pageState.startAnew();
  siteDialog.show(null);
  choices.show(null);
  idle.show(null);
  toast("The server was restarted, so the sign-in starts anew. Nothing that you typed was kept.");
}

/** @param {LivePage} page */
function showPage(page) {
  host = readAddress(page.url).host;
  addressBar.show(page);
  tabs.show(page);
  announcer.onPage(page);
  pageState.onPage(page);
}

watchMouse(canvas, picture, { send, onPress: keyboardFocus.take });
watchWheel(canvas, picture, send);
watchTouch(canvas, picture, { send, onTap: touchKeyboard.onTap });
watchKeyboard(keys, { send, onLeave: keyboardFocus.leave });
watchTextInput(keys, { send, paste });
watchStage(stage, (size) => send({ type: "resize", ...size }));
