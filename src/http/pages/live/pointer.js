// @ts-check
/** @import { LiveInput } from "../../../contract/live-view.ts" */
/** @import { Picture } from "./picture.js" */
import { clamp } from "./picture.js";
import { modifiersOf } from "./site-key.js";

const BUTTONS = /** @type {const} */ (["left", "middle", "right"]);
const BACK_BUTTON = 3;

/**
 * Sends the mouse on the picture. While a button is down, movements outside the picture count too.
 * @param {HTMLElement} canvas
 * @param {Picture} picture
 * @param {{ send: (input: LiveInput) => void, onPress: () => void }} options
 */
export function sendMouse(canvas, picture, { send, onPress }) {
  /** @type {MouseEvent | null} */
  let lastMove = null;
  let isPressed = false;

  /** @param {"move" | "down" | "up"} kind @param {MouseEvent} event */
  function report(kind, event) {
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
    if (lastMove !== null) report("move", lastMove);
    lastMove = null;
  }

  /** At most once per screen refresh. @param {MouseEvent} event */
  function move(event) {
    if (lastMove === null) requestAnimationFrame(flushMove);
    lastMove = event;
  }

  /** @param {MouseEvent} event */
  function press(event) {
    // The picture must not take the focus from the text field that receives the keys.
    event.preventDefault();
    onPress();
    flushMove();
    if (event.button === BACK_BUTTON) return send({ type: "back" });
    if (BUTTONS[event.button] === undefined) return;
    isPressed = true;
    report("down", event);
  }

  /** @param {MouseEvent} event */
  function release(event) {
    if (!isPressed) return;
    flushMove();
    isPressed = (event.buttons & 7) !== 0;
    report("up", event);
  }

  canvas.addEventListener("mousedown", press);
  addEventListener("mouseup", release);
  addEventListener("mousemove", (event) => {
    if (isPressed || event.target === canvas) move(event);
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  // The side button would leave our page; the middle one would start scrolling.
  for (const type of ["mouseup", "auxclick"]) {
    canvas.addEventListener(type, (event) => event.preventDefault());
  }
}

const MAX_TOUCHES = 10;

/**
 * Sends touches on the picture. They are handled here, so the browser sends no mouse events for them.
 * @param {HTMLElement} canvas
 * @param {Picture} picture
 * @param {{ send: (input: LiveInput) => void, onTap: () => void }} options
 */
export function sendTouch(canvas, picture, { send, onTap }) {
  /** Touch identifiers by slot: browsers number touches without limit, the site gets 0 to 9. @type {number[]} */
  let fingers = [];
  let hasMoved = false;
  /** @type {TouchEvent | null} */
  let lastMove = null;

  /** @param {"start" | "move" | "end" | "cancel"} kind @param {TouchEvent} event */
  function report(kind, event) {
    const touches = [...event.targetTouches].slice(0, MAX_TOUCHES);
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
    if (lastMove !== null) report("move", lastMove);
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
    report("start", event);
  });
  on("touchmove", (event) => {
    hasMoved = true;
    if (lastMove === null) requestAnimationFrame(flushMove);
    lastMove = event;
  });
  on("touchend", (event) => {
    flushMove();
    report("end", event);
    // The on-screen keyboard opens only while a touch is being handled.
    if (!hasMoved) onTap();
  });
  on("touchcancel", (event) => {
    flushMove();
    report("cancel", event);
  });
}

/** Some wheels count lines instead of pixels: three lines are one notch, which is 100 pixels elsewhere. */
const LINE_PIXELS = 100 / 3;

/**
 * @param {HTMLElement} canvas
 * @param {Picture} picture
 * @param {(input: LiveInput) => void} send
 */
export function sendWheel(canvas, picture, send) {
  /** @type {{ last: WheelEvent, dx: number, dy: number } | null} */
  let pending = null;

  function flush() {
    if (pending === null) return;
    const { last, dx, dy } = pending;
    pending = null;
    send({ type: "wheel", ...picture.toSite(last), dx: clamp(dx), dy: clamp(dy), modifiers: modifiersOf(last) });
  }

  canvas.addEventListener(
    "wheel",
    (event) => {
      // With Control it zooms the person's own browser.
      if (event.ctrlKey) return;
      event.preventDefault();
      if (pending === null) requestAnimationFrame(flush);
      const pixels = pixelsPerUnit(event, picture);
      pending = {
        last: event,
        dx: (pending?.dx ?? 0) + event.deltaX * pixels,
        dy: (pending?.dy ?? 0) + event.deltaY * pixels,
      };
    },
    { passive: false },
  );
}

/** @param {WheelEvent} event @param {Picture} picture */
function pixelsPerUnit({ deltaMode }, picture) {
  if (deltaMode === WheelEvent.DOM_DELTA_LINE) return LINE_PIXELS;
  if (deltaMode === WheelEvent.DOM_DELTA_PAGE) return picture.siteHeight;
  return picture.scale;
}
