// @ts-check
/** @import { LiveInput } from "../../../contract/live-view.ts" */
/** @import { SiteKey } from "./site-key.js" */
import { toSiteKey } from "./site-key.js";

const TWICE_MS = 1_000;
const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * Keys that write or do something by themselves. What input methods write comes from `text-input.js`.
 * @param {HTMLTextAreaElement} keys Has the focus while the keyboard belongs to the site.
 * @param {{ send: (input: LiveInput) => void, onLeave: () => void }} options
 */
export function watchKeyboard(keys, { send, onLeave }) {
  /** By code, what the site believes to be down. @type {Map<string, SiteKey>} */
  const down = new Map();
  let escapedAt = Number.NEGATIVE_INFINITY;

  /** Nobody is kept here: Tab belongs to the site, so a second Escape leads out. @param {KeyboardEvent} event */
  function isSecondEscape({ key, timeStamp, repeat }) {
    if (key !== "Escape" || repeat) return false;
    const isSecond = timeStamp - escapedAt < TWICE_MS;
    escapedAt = isSecond ? Number.NEGATIVE_INFINITY : timeStamp;
    return isSecond;
  }

  /** @param {string} code */
  function release(code) {
    const siteKey = down.get(code);
    if (siteKey === undefined) return;
    down.delete(code);
    send({ type: "key", kind: "up", ...siteKey, isRepeat: false });
  }

  function releaseAll() {
    for (const code of [...down.keys()]) release(code);
  }

  keys.addEventListener("keydown", (event) => {
    if (isSecondEscape(event)) {
      event.preventDefault();
      onLeave();
      return;
    }
    // Elsewhere it means going back in our own history, away from here.
    if (event.key === "ArrowLeft" && event.altKey && !IS_APPLE) {
      event.preventDefault();
      send({ type: "back" });
      return;
    }
    const siteKey = toSiteKey(event, IS_APPLE);
    if (siteKey === null) return;
    event.preventDefault();
    down.set(event.code, siteKey);
    send({ type: "key", kind: "down", ...siteKey, isRepeat: event.repeat });
  });
  keys.addEventListener("keyup", (event) => {
    // While Command is down, a Mac does not tell that other keys are let go.
    if (event.key === "Meta") releaseAll();
    else release(event.code);
  });
  keys.addEventListener("blur", releaseAll);
}
