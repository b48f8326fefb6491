import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { type Action, elementInput, isGone } from "./action.ts";
import { type Field, findField, writeField } from "./field.ts";
import { setSlider } from "./set-slider.ts";
import { getEnabledElement } from "./target.ts";

const input = Type.Object(
  {
    ...elementInput,
    text: Type.String({
      maxLength: 100_000,
      description: "The new value of the field; an empty text clears it. Dates as 2026-01-31, times as 14:30.",
    }),
    submit: Type.Optional(Type.Boolean({ description: "Presses Enter afterwards." })),
  },
  { additionalProperties: false },
);

export const fill: Action<typeof input> = {
  name: "fill",
  description: "replaces the text; submit presses Enter; dates 2026-01-31, times 14:30",
  input,
  effect: "mutate",
  deadlineMs: 20_000,
  async run({ text, submit = false }, context) {
    const { session, signal } = context;
    const element = await getEnabledElement(context);
    if (element.role === "slider" && (await isDrawn(element)))
      return await setSlider(element, Number(text || "none"), signal);
    const field = await findField(element);
    const note = await writeField(field, text, signal);
    if (submit) {
      signal.throwIfAborted();
      await session.press("Enter");
    } else if (text !== "") {
      await waitForSuggestions(field, signal);
    }
    return note === null ? null : { text: note };
  },
};

/** A slider that the page draws itself takes keys instead of text. */
function isDrawn({ handle }: PinnedElement): Promise<boolean> {
  return handle.evaluate((node) => node.localName !== "input" && node.querySelector("input[type=range]") === null);
}

const PAUSE_MS = 50;
/** Sites wait for a pause in typing before they suggest something; a third of a second is usual. */
const PATIENCE_MS = { yes: 800, maybe: 400, no: 0 };

/** Waits until something like a list of suggestions has opened, or until none is expected anymore. */
async function waitForSuggestions({ handle, suggests }: Field, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS[suggests];
  try {
    while (performance.now() < deadline && !(await handle.evaluate(showsSuggestions))) {
      await sleep(PAUSE_MS, undefined, { signal });
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Runs in the page. */
function showsSuggestions(node: Element): boolean {
  if (node.getAttribute("aria-expanded") === "true") return true;
  const lists = "[role=listbox], [role=menu], [role=option], ul[class*=auto], ul[class*=suggest]";
  return [...document.querySelectorAll(lists)].some((list) => {
    const { width, height } = list.getBoundingClientRect();
    return width > 0 && height > 0;
  });
}
