// @ts-check
/** @import { LiveField, LiveInput } from "../../../contract/live-view.ts" */
/** @import { SiteKey } from "./site-key.js" */
import { element } from "./dom.js";
import { toSiteKey } from "./site-key.js";

const DOUBLE_PRESS_MS = 1_000;
const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * Sends keys that type or trigger something by themselves. `text-input.js` sends the text of input methods.
 * @param {HTMLTextAreaElement} keys Has the focus while keys go to the site.
 * @param {{ send: (input: LiveInput) => void, onLeave: () => void }} options
 */
export function sendKeys(keys, { send, onLeave }) {
  /** The keys that are down for the site, by code. @type {Map<string, SiteKey>} */
  const down = new Map();
  let escapedAt = Number.NEGATIVE_INFINITY;

  /** Tab goes to the site, so pressing Escape twice is the way out for keyboard users. @param {KeyboardEvent} event */
  function isSecondEscape({ key, timeStamp, repeat }) {
    if (key !== "Escape" || repeat) return false;
    const isSecond = timeStamp - escapedAt < DOUBLE_PRESS_MS;
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
    // Alt+Left would navigate our own page back, except on a Mac.
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
    // While Command is down, a Mac does not report that other keys are released.
    if (event.key === "Meta") releaseAll();
    else release(event.code);
  });
  keys.addEventListener("blur", releaseAll);
}

/**
 * Shows where keys go, and lets the person leave the picture.
 * @param {HTMLTextAreaElement} keys
 * @param {HTMLElement} stage
 * @returns {{ take: () => void, leave: () => void }}
 */
export function createKeyboardFocus(keys, stage) {
  const hint = element("keyboard-hint", HTMLElement);
  const promise = element("promise", HTMLElement);

  /** @param {boolean} hasKeyboard */
  function show(hasKeyboard) {
    stage.classList.toggle("has-keyboard", hasKeyboard);
    hint.hidden = !hasKeyboard;
    promise.hidden = hasKeyboard;
  }

  const leave = () => element("confirm", HTMLButtonElement).focus();
  keys.addEventListener("focus", () => show(true));
  keys.addEventListener("blur", () => show(false));
  // Pressing the button must not blur the picture first: the button would be hidden before the click.
  element("leave", HTMLButtonElement).addEventListener("mousedown", (event) => event.preventDefault());
  element("leave", HTMLButtonElement).addEventListener("click", () => keys.blur());
  return { take: () => keys.focus({ preventScroll: true }), leave };
}

/** @type {Record<LiveField["kind"], string>} */
const INPUT_MODES = {
  text: "text",
  password: "text",
  email: "email",
  tel: "tel",
  numeric: "numeric",
  url: "url",
  search: "search",
};

/**
 * The on-screen keyboard: open while a field of the site has the focus, or when the person opens it.
 * @param {HTMLTextAreaElement} keys
 * @param {HTMLButtonElement} button
 */
export function createTouchKeyboard(keys, button) {
  /** @param {string} inputMode */
  function focusWith(inputMode) {
    if (keys.inputMode !== inputMode && document.activeElement === keys) keys.blur();
    keys.inputMode = inputMode;
    keys.focus({ preventScroll: true });
  }

  let fieldMode = "none";
  button.addEventListener("click", () => focusWith(fieldMode === "none" ? "text" : fieldMode));
  return {
    /** Without a focused field the picture still gets the focus, but no keyboard opens. */
    onTap: () => focusWith(fieldMode),
    /** @param {LiveField | null} field */
    onField(field) {
      fieldMode = field === null ? "none" : INPUT_MODES[field.kind];
      if (field !== null) focusWith(fieldMode);
      else keys.inputMode = fieldMode;
    },
  };
}
