// @ts-check
import { element } from "./element.js";

const READING_MS = 6_000;

/** Something small: said for a moment, over the picture. @returns {(text: string) => void} */
export function createToast() {
  const toast = element("toast", HTMLElement);
  let timer = 0;
  return (text) => {
    clearTimeout(timer);
    toast.textContent = text;
    toast.hidden = false;
    timer = window.setTimeout(() => {
      toast.hidden = true;
    }, READING_MS);
  };
}
