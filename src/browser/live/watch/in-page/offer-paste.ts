import type { findActive } from "./watch-focus.ts";

/**
 * Runs in the page. Lets it take a paste into its own hands, as fields for one-time codes do. Answers what is left to
 * insert: nothing when the page has taken it.
 */
export function offerPaste(text: string, find: typeof findActive): string {
  const active = find();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true });
  if (!(active ?? document.body).dispatchEvent(event)) return "";
  return active instanceof HTMLInputElement ? text.replace(/[\r\n]+/g, "") : text;
}
