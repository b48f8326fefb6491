import { createFieldReader } from "./in-page/describe-field.ts";
import { offerChoices } from "./in-page/offer-choices.ts";
import { offerPaste } from "./in-page/offer-paste.ts";
import { watchChanges } from "./in-page/watch-changes.ts";
import { findActive, watchFocus } from "./in-page/watch-focus.ts";

/** What stands in the script's world: for it to tell us, and for us to call. */
export const TELL = "errandTell";
export const CHOOSE = "errandChoose";
export const OFFER_PASTE = "errandOfferPaste";

/**
 * The functions travel as text, so each must make do with its parameters. The script may come twice to a document: with
 * it, and when somebody begins to watch.
 */
export const WATCH_SOURCE = `(() => {
  if (globalThis.${CHOOSE} !== undefined) return;
  const say = (note) => globalThis.${TELL}?.(JSON.stringify(note));
  const find = ${findActive};
  const reader = (${createFieldReader})();
  globalThis.${CHOOSE} = (${offerChoices})(say, reader);
  globalThis.${OFFER_PASTE} = (text) => (${offerPaste})(text, find);
  (${watchChanges})(say);
  (${watchFocus})(say, reader, find);
})()`;
