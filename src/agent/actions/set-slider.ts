import { setTimeout as sleep } from "node:timers/promises";
import type { Keyboard } from "playwright-core";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { ActionFailed } from "./action.ts";
import { quote } from "./plain-text.ts";

const MAX_PRESSES = 400;
const REACTION_MS = 10;
const MAX_WAITS = 5;

/** Sets a slider with its keys, which depend on no position, and checks the result. */
export async function setSlider(
  slider: PinnedElement,
  wanted: number,
  signal: AbortSignal,
): Promise<{ readonly value: number }> {
  const what = `The ${slider.role} ${quote(slider.name)}`;
  const { keyboard } = slider.handle.frame.page();
  const handle = await slider.handle.find(findSlider);
  if (handle === null) throw new ActionFailed("not_found", `${what} is not a slider.`);
  const { min, max } = await handle.evaluate(readSlider);
  if (!(wanted >= min && wanted <= max)) throw new ActionFailed("invalid_input", `${what} goes from ${min} to ${max}.`);
  await handle.focus();
  const reached = await approach({ ...slider, handle }, keyboard, wanted, signal);
  if (reached !== wanted)
    throw new ActionFailed("no_effect", `${what} is at ${reached} and does not stop at ${wanted}.`);
  return { value: reached };
}

/** Returns the number nearest to the wanted one. */
async function approach(
  slider: PinnedElement,
  keyboard: Keyboard,
  wanted: number,
  signal: AbortSignal,
): Promise<number> {
  const { now: first, min, max } = await slider.handle.evaluate(readSlider);
  let now = first;
  if (wanted === min) now = await pressOnce(slider, keyboard, "Home");
  if (wanted === max) now = await pressOnce(slider, keyboard, "End");
  let [key, other] = wanted > now ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
  for (let presses = 0; presses < MAX_PRESSES && now !== wanted; presses++) {
    signal.throwIfAborted();
    const next = await pressOnce(slider, keyboard, key);
    const isWorse = Math.abs(next - wanted) > Math.abs(now - wanted);
    if (isWorse && presses > 0) return await pressOnce(slider, keyboard, other);
    // In some languages the arrow to the right means less.
    if (isWorse) [key, other] = [other, key];
    if (next === now) return now;
    now = next;
  }
  return now;
}

async function pressOnce({ handle }: PinnedElement, keyboard: Keyboard, key: string): Promise<number> {
  const { now: before } = await handle.evaluate(readSlider);
  await keyboard.press(key);
  for (let wait = 0; wait < MAX_WAITS; wait++) {
    const { now } = await handle.evaluate(readSlider);
    if (now !== before) return now;
    await sleep(REACTION_MS);
  }
  return before;
}

/** Runs in the page. The slider that the element is or holds. */
function findSlider(element: Element): Element | null {
  const SLIDERS = "[role=slider], input[type=range], [role=separator][aria-valuenow]";
  if (element.matches(SLIDERS)) return element;
  const inner = element.querySelectorAll(SLIDERS);
  return inner.length === 1 ? (inner[0] ?? null) : null;
}

/** Runs in the page. */
function readSlider(element: Element): { now: number; min: number; max: number } {
  if (element instanceof HTMLInputElement) {
    return { now: element.valueAsNumber, min: Number(element.min || 0), max: Number(element.max || 100) };
  }
  const read = (name: string, otherwise: number) => Number(element.getAttribute(name) ?? otherwise);
  return {
    now: read("aria-valuenow", Number.NaN),
    min: read("aria-valuemin", Number.NEGATIVE_INFINITY),
    max: read("aria-valuemax", Number.POSITIVE_INFINITY),
  };
}
