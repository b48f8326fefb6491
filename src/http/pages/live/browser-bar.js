// @ts-check
/** @import { LiveInput, LivePage } from "../../../contract/live-view.ts" */
import { cleanText, element } from "./dom.js";

const HOST_MAX_LENGTH = 100;

/**
 * The URL of the site's browser. The end of the host matters most: it says whose page this is.
 * @param {(input: LiveInput) => void} send
 */
export function createUrlBar(send) {
  const back = element("back", HTMLButtonElement);
  const reload = element("reload", HTMLButtonElement);
  const lock = element("lock", HTMLElement);
  const notSecure = element("not-secure", HTMLElement);
  const host = element("host", HTMLElement);
  const path = element("path", HTMLElement);
  back.addEventListener("click", () => send({ type: "back" }));
  reload.addEventListener("click", () => send({ type: "reload" }));

  return {
    /** @param {LivePage} page */
    show(page) {
      const shown = describeUrl(page.url);
      back.disabled = !page.canGoBack;
      reload.classList.toggle("is-busy", page.isLoading);
      lock.hidden = !page.isSecure;
      notSecure.hidden = page.isSecure || !shown.isSite;
      host.replaceChildren(...withBreaks(shown.host));
      path.textContent = shown.path;
    },
  };
}

/** @param {string} text */
export function describeUrl(text) {
  const url = URL.parse(text);
  if (url === null || url.protocol === "about:") return { isSite: false, host: "Empty page", path: "" };
  // The URL of a page that a script created contains its origin.
  const { host } = URL.parse(url.protocol === "blob:" ? url.pathname : text) ?? url;
  if (host === "") return { isSite: false, host: `${url.protocol} (not a web page)`, path: "" };
  const rest = url.protocol === "blob:" ? "" : url.pathname + url.search;
  return { isSite: true, host: cutAtStart(host), path: rest === "/" ? "" : cleanText(rest) };
}

/** A long host loses its beginning, never its end. @param {string} host */
function cutAtStart(host) {
  return host.length > HOST_MAX_LENGTH ? `…${host.slice(1 - HOST_MAX_LENGTH)}` : host;
}

/** Lets a long host wrap, after a dot if possible. @param {string} host */
function withBreaks(host) {
  return host.split(/(?<=\.)/).flatMap((part) => [part, document.createElement("wbr")]);
}

/**
 * The site's tabs and popups. Hidden while there is only one.
 * @param {(input: LiveInput) => void} send
 */
export function createTabs(send) {
  const list = element("tabs", HTMLElement);
  /** The hosts of tabs that have been shown, by tab id. @type {Map<string, string>} */
  const hosts = new Map();

  /** @param {LivePage["tabs"][number]} tab */
  function toButtons({ id, title, isCurrent }) {
    const name = cleanText(title) || hosts.get(id) || "New tab";
    const group = document.createElement("span");
    group.className = isCurrent ? "live-tab is-current" : "live-tab";
    const choose = document.createElement("button");
    choose.type = "button";
    choose.textContent = name;
    choose.setAttribute("aria-pressed", String(isCurrent));
    choose.addEventListener("click", () => send({ type: "choose_tab", id }));
    const close = document.createElement("button");
    close.type = "button";
    close.className = "live-tab-close";
    close.textContent = "×";
    close.setAttribute("aria-label", `Close ${name}`);
    close.addEventListener("click", () => send({ type: "close_tab", id }));
    group.append(choose, close);
    return group;
  }

  return {
    /** @param {LivePage} page */
    show({ tabs, url }) {
      const current = tabs.find(({ isCurrent }) => isCurrent);
      if (current !== undefined) hosts.set(current.id, describeUrl(url).host);
      list.hidden = tabs.length < 2;
      list.replaceChildren(...(list.hidden ? [] : tabs.map(toButtons)));
    },
  };
}
