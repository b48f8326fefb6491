// @ts-check
/** @import { LiveInput, LivePage, LivePhase, ServiceMessage } from "../../../contract/live-view.ts" */
import { createTabs, createUrlBar, describeUrl } from "./browser-bar.js";
import { Connection } from "./connection.js";
import { createChoices, createHelp, createSiteDialog } from "./dialogs.js";
import { element } from "./dom.js";
import { createEndings } from "./endings.js";
import { createKeyboardFocus, createTouchKeyboard, sendKeys } from "./keyboard.js";
import { createNotices, createPageState } from "./page-state.js";
import { Picture, siteSize, watchStage } from "./picture.js";
import { sendMouse, sendTouch, sendWheel } from "./pointer.js";
import { createAnnouncer, createIdleWarning, createPhase, createToast } from "./status.js";
import { createPaster, sendText } from "./text-input.js";

const live = element("live", HTMLElement);
const stage = element("stage", HTMLElement);
const canvas = element("picture", HTMLCanvasElement);
const keys = element("keys", HTMLTextAreaElement);
const { socket: path = "", ticket = "", site = "", application = "" } = live.dataset;
const isTouch = matchMedia("(pointer: coarse)").matches;
// Hidden in the HTML for browsers without scripts. It must be visible before the stage can be measured.
live.hidden = false;

/** @param {LiveInput} input */
function send(input) {
  if (TYPING.has(input.type)) phase.calm();
  connection.send({ type: "input", input });
}

const TYPING = new Set(["key", "text", "paste"]);

/** Any input keeps the sign-in open. This one has no effect on any site. @type {LiveInput} */
const STILL_HERE = { type: "pointer", kind: "move", x: 0, y: 0, button: "none", buttons: 0, clicks: 0, modifiers: 0 };

let host = site;
let hasStarted = false;
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
  onStop() {
    phase.end();
    idle.show(null);
  },
});
const toast = createToast();
const urlBar = createUrlBar(send);
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
  path,
  ticket,
  onOpen: () => connection.send({ type: "hello", ...siteSize(stage), isTouch }),
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
  if (isOpening && hasStarted) restart();
  hasStarted = !isOpening;
  phase.show(message);
}

/** The previous browser is gone because its process was restarted. Everything it showed goes with it. */
function restart() {
  pageState.restart();
  siteDialog.show(null);
  choices.show(null);
  idle.show(null);
  toast("The server was restarted, so the sign-in starts over. Nothing you typed was kept.");
}

/** @param {LivePage} page */
function showPage(page) {
  host = describeUrl(page.url).host;
  urlBar.show(page);
  tabs.show(page);
  announcer.onPage(page);
  pageState.onPage(page);
}

sendMouse(canvas, picture, { send, onPress: keyboardFocus.take });
sendWheel(canvas, picture, send);
sendTouch(canvas, picture, { send, onTap: touchKeyboard.onTap });
sendKeys(keys, { send, onLeave: keyboardFocus.leave });
sendText(keys, { send, paste });
watchStage(stage, (size) => send({ type: "resize", ...size }));
