// @ts-check
/** @import { LiveInput } from "../../../contract/live-view.ts" */
/** @import { Picture } from "./picture.js" */
import { modifiersOf } from "./modifiers.js";

const BUTTONS = /** @type {const} */ (["left", "middle", "right"]);
const BACK_BUTTON = 3;

/**
 * The mouse on the picture. While a button is down, movements outside it count too.
 * @param {HTMLElement} canvas
 * @param {Picture} picture
 * @param {{ send: (input: LiveInput) => void, onPress: () => void }} options
 */
export function watchMouse(canvas, picture, { send, onPress }) {
  /** @type {MouseEvent | null} */
  let lastMove = null;
  let isPressed = false;

  /** @param {"move" | "down" | "up"} kind @param {MouseEvent} event */
  function tell(kind, event) {
    send({
      type: "pointer",
      kind,
      ...picture.toSite(event),
      button: kind === "move" ? "none" : (BUTTONS[event.button] ?? "none"),
      buttons: event.buttons & 31,
      clicks: kind === "move" ? 0 : Math.min(3, event.detail),
      modifiers: modifiersOf(event),
    });
  }

  function flushMove() {
    if (lastMove !== null) tell("move", lastMove);
    lastMove = null;
  }

  /** Not more often than the screen changes. @param {MouseEvent} event */
  function move(event) {
    if (lastMove === null) requestAnimationFrame(flushMove);
    lastMove = event;
  }

  /** @param {MouseEvent} event */
  function press(event) {
    // The picture must not take the focus from the field that takes the keyboard.
    event.preventDefault();
    onPress();
    flushMove();
    if (event.button === BACK_BUTTON) return send({ type: "back" });
    if (BUTTONS[event.button] === undefined) return;
    isPressed = true;
    tell("down", event);
  }

  /** @param {MouseEvent} event */
  function release(event) {
    if (!isPressed) return;
    flushMove();
    isPressed = (event.buttons & 7) !== 0;
    tell("up", event);
  }

  canvas.addEventListener("mousedown", press);
  addEventListener("mouseup", release);
  addEventListener("mousemove", (event) => {
    if (isPressed || event.target === canvas) move(event);
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  // The side button would leave our page, and the middle one starts scrolling by itself.
  for (const type of ["mouseup", "auxclick"]) {
    canvas.addEventListener(type, (event) => event.preventDefault());
  }
}
