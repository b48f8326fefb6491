// @ts-check
/** @import { LiveInput } from "../../../contract/live-view.ts" */
/** @import { Picture } from "./picture.js" */
import { modifiersOf } from "./modifiers.js";

const FINGERS = 10;

/**
 * Fingers on the picture. Handled here, they do not come again as a mouse.
 * @param {HTMLElement} canvas
 * @param {Picture} picture
 * @param {{ send: (input: LiveInput) => void, onTap: () => void }} options
 */
export function watchTouch(canvas, picture, { send, onTap }) {
  /** The browser's numbers for fingers grow without end, the site's are few. @type {number[]} */
  let fingers = [];
  let hasMoved = false;
  /** @type {TouchEvent | null} */
  let lastMove = null;

  /** @param {"start" | "move" | "end" | "cancel"} kind @param {TouchEvent} event */
  function tell(kind, event) {
    const touches = [...event.targetTouches].slice(0, FINGERS);
    const points = touches.map((touch) => ({ id: slotOf(touch.identifier), ...picture.toSite(touch) }));
    send({ type: "touch", kind, points, modifiers: modifiersOf(event) });
    const down = new Set(touches.map(({ identifier }) => identifier));
    fingers = fingers.map((finger) => (down.has(finger) ? finger : -1));
  }

  /** @param {number} finger */
  function slotOf(finger) {
    const known = fingers.indexOf(finger);
    if (known >= 0) return known;
    const free = fingers.indexOf(-1);
    const slot = free >= 0 ? free : fingers.length;
    fingers[slot] = finger;
    return slot;
  }

  function flushMove() {
    if (lastMove !== null) tell("move", lastMove);
    lastMove = null;
  }

  /** @param {"touchstart" | "touchmove" | "touchend" | "touchcancel"} type @param {(event: TouchEvent) => void} act */
  function on(type, act) {
    canvas.addEventListener(
      type,
      (event) => {
        event.preventDefault();
        act(event);
      },
      { passive: false },
    );
  }

  on("touchstart", (event) => {
    flushMove();
    hasMoved = event.targetTouches.length > 1;
    tell("start", event);
  });
  on("touchmove", (event) => {
    hasMoved = true;
    if (lastMove === null) requestAnimationFrame(flushMove);
    lastMove = event;
  });
  on("touchend", (event) => {
    flushMove();
    tell("end", event);
    // A keyboard on glass opens only while a finger's touch is being handled.
    if (!hasMoved) onTap();
  });
  on("touchcancel", (event) => {
    flushMove();
    tell("cancel", event);
  });
}
