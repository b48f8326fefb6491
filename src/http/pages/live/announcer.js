// @ts-check
/** @import { LiveField, LivePage } from "../../../contract/live-view.ts" */
import { cleanText } from "./clean-text.js";

/**
 * Says aloud what those cannot see who do not look at the picture.
 * @param {HTMLElement} region
 */
export function createAnnouncer(region) {
  let lastTitle = "";

  return {
    /** @param {LivePage} page */
    onPage({ title, isLoading }) {
      const shown = cleanText(title);
      if (isLoading || shown === lastTitle) return;
      lastTitle = shown;
      region.textContent = shown === "" ? "A page without a title" : `Page: ${shown}`;
    },
    /** @param {LiveField | null} field */
    onField(field) {
      if (field === null) return;
      const kind = field.kind === "password" ? "Password field" : "Field";
      region.textContent = `${kind}: ${cleanText(field.label) || "without a name"}`;
    },
  };
}
