// @ts-check
/** @import { RunServiceMessage, RunViewerMessage } from "../../../contract/live-run.ts" */
/** @import { LiveInput } from "../../../contract/live-view.ts" */
/** @import { Picture } from "./picture.js" */
import { element } from "./dom.js";
import { sendKeys } from "./keyboard.js";
import { sendMouse, sendTouch, sendWheel } from "./pointer.js";
import { PASTE_MAX_LENGTH, sendText } from "./text-input.js";

/** @typedef {Extract<RunServiceMessage, { type: "control" }>["state"]} ControlState */

/** @type {Record<ControlState, string>} */
const NOTES = {
  run: "",
  asking: "Answer the errand’s question first. Then you can take over.",
  pausing: "The errand pauses as soon as its current step is done…",
  yours: "You are using the browser, and the errand waits. What you type is not recorded.",
  another: "Somebody else is using the browser. The errand waits for them.",
};

/**
 * Lets the person take over the browser of the run, and hand it back.
 * @param {Picture} picture
 * @param {(message: RunViewerMessage) => void} sendMessage
 */
export function createRunControl(picture, sendMessage) {
  const button = element("control", HTMLButtonElement);
  const note = element("control-note", HTMLElement);
  const stage = element("stage", HTMLElement);
  const canvas = element("picture", HTMLCanvasElement);
  const keys = element("keys", HTMLTextAreaElement);
  const holder = newId();
  /** @type {ControlState} */
  let state = "run";
  let wantsControl = false;

  /** @param {LiveInput} input */
  function send(input) {
    if (state !== "yours") return;
    switch (input.type) {
      case "pointer":
      case "wheel":
      case "touch":
      case "key":
      case "text":
      case "paste":
        sendMessage({ type: "input", input });
    }
  }

  function takeOver() {
    wantsControl = true;
    sendMessage({ type: "take_over", holder });
    show("pausing");
  }

  function handBack() {
    wantsControl = false;
    sendMessage({ type: "hand_back" });
    show("run");
  }

  /** @param {ControlState} next */
  function show(next) {
    // It was taken away: by the end of the time, or by somebody else.
    if (state === "yours" && next !== "yours") wantsControl = false;
    if (next === "asking" && wantsControl) {
      wantsControl = false;
      sendMessage({ type: "hand_back" });
    }
    // Until the service has heard of it.
    state = next === "run" && wantsControl ? "pausing" : next;
    const isOurs = state === "yours" || state === "pausing";
    button.textContent = isOurs ? "Hand back" : "Take over";
    button.classList.toggle("primary", isOurs);
    button.disabled = state === "another" || state === "asking";
    if (note.textContent !== NOTES[state]) note.textContent = NOTES[state];
    note.hidden = state === "run";
    allowInput(state === "yours");
  }

  /** @param {boolean} isAllowed */
  function allowInput(isAllowed) {
    stage.classList.toggle("has-keyboard", isAllowed);
    // Otherwise the wheel scrolls the page that this one is embedded in.
    canvas.style.pointerEvents = isAllowed ? "" : "none";
    keys.tabIndex = isAllowed ? 0 : -1;
    if (isAllowed) keys.focus({ preventScroll: true });
  }

  show("run");
  const takeKeys = () => keys.focus({ preventScroll: true });
  button.addEventListener("click", () => (wantsControl ? handBack() : takeOver()));
  sendMouse(canvas, picture, { send, onPress: takeKeys });
  sendWheel(canvas, picture, send);
  sendTouch(canvas, picture, { send, onTap: takeKeys });
  sendKeys(keys, { send, onLeave: () => button.focus() });
  sendText(keys, { send, paste: (text) => text.length <= PASTE_MAX_LENGTH && send({ type: "paste", text }) });
  return {
    show,
    get isActive() {
      return wantsControl;
    },
    onConnected() {
      button.hidden = false;
      if (wantsControl) sendMessage({ type: "take_over", holder });
    },
    end() {
      button.hidden = true;
    },
  };
}

/** A random UUID. Browsers offer one only on https pages and on localhost. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
