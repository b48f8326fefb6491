// @ts-check
/** @import { LiveInput, LivePage } from "../../../contract/live-view.ts" */
/** @import { createNotices } from "./notices.js" */
import { readAddress } from "./address-bar.js";
import { element } from "./element.js";
import { createPace } from "./pace.js";

const WORDS = {
  fine: "This takes a few seconds. What you type goes through this server to the site and is not stored or logged.",
  slow: "The site is taking its time…",
  stuck: "The site has not answered for a while. You can wait, reload it, or cancel and try again later.",
};

/**
 * What is said over the picture while the site opens, takes long or cannot be shown.
 * @param {{ site: string, notices: ReturnType<typeof createNotices>, send: (input: LiveInput) => void }} options
 */
export function createPageState({ site, notices, send }) {
  const pill = element("pace", HTMLElement);
  /** Where the site's browser is, or is going. */
  let place = { isSite: false, host: "" };
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
      title: `Opening ${place.isSite ? place.host : site}`,
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
      place = readAddress(page.url);
      failure = page.failure;
      isLoading = page.isLoading && failure === null;
      if (isLoading) loading.begin();
      else if (hasDrawn && place.isSite && !hasPicture) return uncover();
      else if (hasPicture || failure !== null) loading.end();
      render();
    },
    /** The empty page that every browser begins with is no picture of the site. @param {() => boolean} isBlank */
    onDrawn(isBlank) {
      hasDrawn = true;
      if (!hasPicture && ((place.isSite && !isLoading) || !isBlank())) uncover();
    },
    /** Another browser opens the site, from the beginning. */
    startAnew() {
      place = { isSite: false, host: "" };
      hasDrawn = false;
      hasPicture = false;
      isLoading = true;
      failure = null;
      loading.end();
      loading.begin();
    },
  };
}
