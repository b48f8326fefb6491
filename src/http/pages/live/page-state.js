// @ts-check
/** @import { LiveInput, LivePage } from "../../../contract/live-view.ts" */
import { describeUrl } from "./browser-bar.js";
import { element } from "./dom.js";

const WORDS = {
  fine: "This takes a few seconds. What you type goes through this server to the site. It is not stored or logged.",
  slow: "The site is slow to respond…",
  stuck: "The site has not responded for a while. You can wait, reload it, or cancel and try again later.",
};

/**
 * The message over the picture while the site is loading or cannot be shown.
 * @param {{ site: string, notices: ReturnType<typeof createNotices>, send: (input: LiveInput) => void }} options
 */
export function createPageState({ site, notices, send }) {
  const pill = element("pace", HTMLElement);
  /** The page that the site's browser shows or is loading. */
  let current = { isSite: false, host: "" };
  let hasPicture = false;
  let hasDrawn = false;
  let isLoading = true;
  /** @type {string | null} */
  let failure = null;
  /** @type {keyof typeof WORDS} */
  let pace = "fine";
  const loading = createPace((changed) => {
    pace = changed;
    render();
  });
  const reload = { label: "Reload", act: () => send({ type: "reload" }) };

  function render() {
    const isCovered = failure !== null || !hasPicture;
    pill.hidden = isCovered || pace === "fine";
    pill.textContent = WORDS[pace];
    if (failure !== null) {
      return notices.set("page", {
        title: "The page could not be opened",
        text: failure,
        isBusy: false,
        actions: [reload],
      });
    }
    if (hasPicture) return notices.set("page", null);
    const actions = pace === "stuck" ? [reload] : [];
    notices.set("page", {
      title: `Opening ${current.isSite ? current.host : site}`,
      text: WORDS[pace],
      isBusy: true,
      actions,
    });
  }

  function uncover() {
    hasPicture = true;
    if (isLoading) render();
    else loading.end();
  }

  loading.begin();
  render();
  return {
    /** @param {LivePage} page */
    onPage(page) {
      current = describeUrl(page.url);
      failure = page.failure;
      isLoading = page.isLoading && failure === null;
      if (isLoading) loading.begin();
      else if (hasDrawn && current.isSite && !hasPicture) return uncover();
      else if (hasPicture || failure !== null) loading.end();
      render();
    },
    /** Ignores the empty page that every browser starts with. @param {() => boolean} isBlank */
    onDrawn(isBlank) {
      hasDrawn = true;
      if (!hasPicture && ((current.isSite && !isLoading) || !isBlank())) uncover();
    },
    /** Another browser opens the site from the beginning. */
    restart() {
      current = { isSite: false, host: "" };
      hasDrawn = false;
      hasPicture = false;
      isLoading = true;
      failure = null;
      loading.end();
      loading.begin();
    },
  };
}

const SLOW_MS = 2_000;
const STUCK_MS = 15_000;

/**
 * Reports how long something takes: `slow` after two seconds, `stuck` after fifteen, `fine` when it has ended.
 * @param {(pace: "fine" | "slow" | "stuck") => void} onPace
 */
export function createPace(onPace) {
  /** @type {number[]} */
  let timers = [];

  function end() {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
    onPace("fine");
  }

  return {
    begin() {
      if (timers.length > 0) return;
      timers = [window.setTimeout(() => onPace("slow"), SLOW_MS), window.setTimeout(() => onPace("stuck"), STUCK_MS)];
    },
    end,
  };
}

/**
 * @typedef {object} Notice
 * @property {string} title
 * @property {string} text
 * @property {boolean} isBusy
 * @property {{ label: string, act: (() => void) | string }[]} actions A string is a URL to go to.
 */

/** Messages that cover the picture, by priority: only the first one is shown. */
const LAYERS = /** @type {const} */ (["over", "connection", "page"]);

export function createNotices() {
  const section = element("notice", HTMLElement);
  const spinner = element("notice-spinner", HTMLElement);
  const title = element("notice-title", HTMLElement);
  const text = element("notice-text", HTMLElement);
  const actions = element("notice-actions", HTMLElement);
  /** @type {Partial<Record<(typeof LAYERS)[number], Notice | null>>} */
  const notices = {};

  return {
    /** @param {(typeof LAYERS)[number]} layer @param {Notice | null} notice */
    set(layer, notice) {
      notices[layer] = notice;
      const shown = LAYERS.map((name) => notices[name]).find((one) => one);
      section.hidden = shown === undefined;
      if (!shown) return;
      spinner.hidden = !shown.isBusy;
      title.textContent = shown.title;
      text.textContent = shown.text;
      actions.replaceChildren(...shown.actions.map(toButton));
    },
  };
}

/** @param {Notice["actions"][number]} action */
function toButton({ label, act }) {
  const control = document.createElement(typeof act === "string" ? "a" : "button");
  control.className = "button primary";
  control.textContent = label;
  if (control instanceof HTMLAnchorElement) control.href = String(act);
  else if (typeof act !== "string") {
    control.type = "button";
    control.addEventListener("click", act);
  }
  return control;
}
