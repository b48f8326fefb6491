import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";

const MAX_PRESSES = 40;
const REACTION_MS = 80;

/** Whether the element says that it can be moved with keys: what it is, and which keys, in a description. */
export async function offersKeys({ handle }: PinnedElement): Promise<boolean> {
  return await handle.evaluate((element) => {
    const root = element.getRootNode() as Document | ShadowRoot;
    const ids = (element.getAttribute("aria-describedby") ?? "").split(/\s+/).filter((id) => id !== "");
    const described = ids.map((id) => root.getElementById(id)?.textContent ?? "").join(" ");
    const isMarked = element.hasAttribute("aria-roledescription") || element.hasAttribute("aria-grabbed");
    const isFocusable = (element as HTMLElement).tabIndex >= 0;
    return isFocusable && isMarked && /space/i.test(described) && /arrow/i.test(described);
  });
}

/**
 * Picks the element up with the space bar, moves it with arrow keys until it is where the target was, and drops it there.
 * False when it cannot be picked up or does not get there: then it is put back.
 */
export async function dragByKeys(source: PinnedElement, target: PinnedElement, signal: AbortSignal): Promise<boolean> {
  const page = source.handle.frame.page();
  const goal = await (await target.handle.toHandle()).boundingBox();
  if (goal === null) return false;
  const before = await readState(source);
  await source.handle.focus();
  await press(page, "Space", signal);
  if ((await readState(source)) === before) return false;
  if (await moveByArrows(page, source, goal, signal)) {
    await press(page, "Space", signal);
    return true;
  }
  await press(page, "Escape", signal);
  return false;
}

async function press({ keyboard }: Page, key: string, signal: AbortSignal): Promise<void> {
  await keyboard.press(key);
  await sleep(REACTION_MS, undefined, { signal });
}

/** What tells that an element is held: its attributes, and what the page announces. */
async function readState({ handle }: PinnedElement): Promise<string> {
  return await handle.evaluate((element) => {
    const attributes = [...element.attributes].map(({ name, value }) => `${name}=${value}`);
    const announced = [...document.querySelectorAll("[aria-live], [role=status], [role=alert]")];
    return [...attributes, ...announced.map(({ textContent }) => textContent)].join("\n");
  });
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Towards the goal, as long as that brings it nearer. */
async function moveByArrows(page: Page, source: PinnedElement, goal: Area, signal: AbortSignal): Promise<boolean> {
  let best = Number.POSITIVE_INFINITY;
  for (let presses = 0, vain = 0; presses < MAX_PRESSES && vain < 2; presses++) {
    const at = await findHeld(source);
    if (at === null) return false;
    const dx = goal.x + goal.width / 2 - at.x;
    const dy = goal.y + goal.height / 2 - at.y;
    if (Math.abs(dx) < goal.width / 2 && Math.abs(dy) < goal.height / 2) return true;
    vain = Math.hypot(dx, dy) < best - 1 ? 0 : vain + 1;
    best = Math.min(best, Math.hypot(dx, dy));
    await press(page, arrowTowards(dx, dy, goal), signal);
  }
  return false;
}

/** Along the longer way, in sizes of the goal. */
function arrowTowards(dx: number, dy: number, { width, height }: Area): string {
  if (Math.abs(dx) / Math.max(width, 1) > Math.abs(dy) / Math.max(height, 1)) {
    return dx > 0 ? "ArrowRight" : "ArrowLeft";
  }
  return dy > 0 ? "ArrowDown" : "ArrowUp";
}

/** The middle of what is held: a copy of the element that floats above the page, or the element itself. */
async function findHeld({ handle }: PinnedElement): Promise<{ x: number; y: number } | null> {
  const middle = await handle.evaluate((element) => {
    const isFloating = (one: Element) => one !== element && getComputedStyle(one).position === "fixed";
    const copies = [...document.querySelectorAll("body *")].filter(
      (one) => isFloating(one) && !one.contains(element) && one.textContent?.trim() === element.textContent?.trim(),
    );
    const held = copies.find((one) => one.textContent !== "" && one.getBoundingClientRect().width > 0) ?? element;
    const { x, y, width, height } = held.getBoundingClientRect();
    const own = element.getBoundingClientRect();
    return { x: x + width / 2 - (own.x + own.width / 2), y: y + height / 2 - (own.y + own.height / 2) };
  });
  // Frames have their own coordinates, so only the distance comes from within.
  const box = await (await handle.toHandle()).boundingBox();
  return box === null ? null : { x: box.x + box.width / 2 + middle.x, y: box.y + box.height / 2 + middle.y };
}
