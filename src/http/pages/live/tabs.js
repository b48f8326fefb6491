// @ts-check
/** @import { LiveInput, LivePage } from "../../../contract/live-view.ts" */
import { readAddress } from "./address-bar.js";
import { cleanText } from "./clean-text.js";
import { element } from "./element.js";

/**
 * The site's tabs and popups, as soon as there is more than one.
 * @param {(input: LiveInput) => void} send
 */
export function createTabs(send) {
  const list = element("tabs", HTMLElement);
  /** Of the tabs that have been shown, by their ids. @type {Map<string, string>} */
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
      if (current !== undefined) hosts.set(current.id, readAddress(url).host);
      list.hidden = tabs.length < 2;
      list.replaceChildren(...(list.hidden ? [] : tabs.map(toButtons)));
    },
  };
}
