// @ts-check
/** @import { LiveInput } from "../../../contract/live-view.ts" */
/** @import { Picture } from "./picture.js" */
import { modifiersOf } from "./modifiers.js";
import { clamp } from "./picture.js";

/** Where a wheel counts lines instead of pixels, three of them are one notch, which is 100 pixels elsewhere. */
const LINE_PIXELS = 100 / 3;

/**
 * @param {HTMLElement} canvas
 * @param {Picture} picture
 * @param {(input: LiveInput) => void} send
 */
export function watchWheel(canvas, picture, send) {
  /** @type {{ last: WheelEvent, dx: number, dy: number } | null} */
  let turned = null;

  function flush() {
    if (turned === null) return;
    const { last, dx, dy } = turned;
    turned = null;
    send({ type: "wheel", ...picture.toSite(last), dx: clamp(dx), dy: clamp(dy), modifiers: modifiersOf(last) });
  }

  canvas.addEventListener(
    "wheel",
    (event) => {
      // With Control it is the zoom of the person's own browser.
      if (event.ctrlKey) return;
      event.preventDefault();
      if (turned === null) requestAnimationFrame(flush);
      const pixels = pixelsPerUnit(event, picture);
      turned = {
        last: event,
        dx: (turned?.dx ?? 0) + event.deltaX * pixels,
        dy: (turned?.dy ?? 0) + event.deltaY * pixels,
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
