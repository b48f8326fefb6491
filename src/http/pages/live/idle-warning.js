// @ts-check
import { element } from "./element.js";

/**
 * Says that it is about to end because nobody does anything. Whatever the person does then, anywhere, is a sign of life.
 * @param {() => void} onAlive
 */
export function createIdleWarning(onAlive) {
  const warning = element("idle", HTMLElement);
  const seconds = element("idle-seconds", HTMLElement);
  let timer = 0;

  function stay() {
    if (!warning.hidden) onAlive();
  }

  for (const type of ["mousemove", "mousedown", "touchstart", "keydown"]) addEventListener(type, stay);
  element("stay", HTMLButtonElement).addEventListener("click", stay);

  return {
    /** @param {number | null} endsInSeconds */
    show(endsInSeconds) {
      clearInterval(timer);
      warning.hidden = endsInSeconds === null;
      if (endsInSeconds === null) return;
      let left = endsInSeconds;
      seconds.textContent = `${left} s`;
      timer = window.setInterval(() => {
        left = Math.max(0, left - 1);
        seconds.textContent = `${left} s`;
      }, 1_000);
    },
  };
}
