// @ts-check
/** @import { LiveInput, LivePage } from "../../../contract/live-view.ts" */
import { cleanText } from "./clean-text.js";
import { element } from "./element.js";

const HOST_MAX_LENGTH = 100;

/**
 * Where the site's browser is. What a person must see is whose page it is, which the end of the host tells.
 * @param {(input: LiveInput) => void} send
 */
export function createAddressBar(send) {
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
      const place = readAddress(page.url);
      back.disabled = !page.canGoBack;
      reload.classList.toggle("is-busy", page.isLoading);
      lock.hidden = !page.isSecure;
      notSecure.hidden = page.isSecure || !place.isSite;
      host.replaceChildren(...breakable(place.host));
      path.textContent = place.path;
    },
  };
}

/** @param {string} address */
export function readAddress(address) {
  const url = URL.parse(address);
  if (url === null || url.protocol === "about:") return { isSite: false, host: "Empty page", path: "" };
  // A page made by a script of the site's has its origin inside.
  const { host } = URL.parse(url.protocol === "blob:" ? url.pathname : address) ?? url;
  if (host === "") return { isSite: false, host: `${url.protocol} (not a page of a site)`, path: "" };
  const rest = url.protocol === "blob:" ? "" : url.pathname + url.search;
  return { isSite: true, host: withoutBeginning(host), path: rest === "/" ? "" : cleanText(rest) };
}

/** Never cut at its end. @param {string} host */
function withoutBeginning(host) {
  return host.length > HOST_MAX_LENGTH ? `…${host.slice(1 - HOST_MAX_LENGTH)}` : host;
}

/** A long one goes on in the next line, after a dot where there is one. @param {string} host */
function breakable(host) {
  return host.split(/(?<=\.)/).flatMap((part) => [part, document.createElement("wbr")]);
}
