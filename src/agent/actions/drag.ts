import type { Page } from "playwright-core";
import { Type } from "typebox";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { type Action, ActionFailed, elementInput } from "./action.ts";
import { findHitPoint, isHittable } from "./pointer.ts";
import { getElement, pinElement } from "./target.ts";

const STEPS = 12;

const input = Type.Object(
  {
    ...elementInput,
    to_ref: Type.String({ minLength: 1, maxLength: 40, description: "The ref of the element to drop it on." }),
    to_label: Type.String({ maxLength: 1000, description: "The name of that element as you read it." }),
  },
  { additionalProperties: false },
);

export const drag: Action<typeof input> = {
  name: "drag",
  description:
    "Drags one element onto another with the mouse: cards between columns, rows of a sortable list. The report shows " +
    "where it ended up.",
  input,
  effect: "mutate",
  async run({ to_ref, to_label }, context) {
    const { session, signal } = context;
    const source = getElement(context);
    const target = await pinElement(session, { ref: to_ref, label: to_label });
    const page = (await source.handle.ownerFrame())?.page();
    if (page === undefined) throw new ActionFailed("stale", "The element is no longer on the page.");
    const from = await findHitPoint(source, signal);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    try {
      await moveOnto(page, from, target, signal);
    } finally {
      await page.mouse.up();
    }
    return null;
  },
};

/** Many libraries start a drag only after a few pixels, and notice a drop target only when the mouse moves over it twice. */
async function moveOnto(
  page: Page,
  from: { x: number; y: number },
  target: PinnedElement,
  signal: AbortSignal,
): Promise<void> {
  await page.mouse.move(from.x + 3, from.y + 3);
  await page.mouse.move(from.x + 8, from.y + 8);
  const to = await findDropPoint(target, from, signal);
  await page.mouse.move(to.x, to.y, { steps: STEPS });
  await page.mouse.move(to.x, to.y + 1);
  await page.mouse.move(to.x, to.y);
}

/**
 * Past the middle of the target, seen from where the drag starts: that is where sortable lists swap items. What covers the
 * target is not checked, because the dragged element may already do so.
 */
async function findDropPoint(
  target: PinnedElement,
  from: { x: number; y: number },
  signal: AbortSignal,
): Promise<{ x: number; y: number }> {
  if (!(await isHittable(target.handle))) await target.handle.scrollIntoViewIfNeeded({ timeout: 2000, signal });
  const box = await target.handle.boundingBox();
  if (box === null) throw new ActionFailed("covered", "The drop target is not visible.");
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const isAcross = Math.abs(middle.x - from.x) > Math.abs(middle.y - from.y);
  const beyond = 0.2;
  return isAcross
    ? { x: middle.x + Math.sign(middle.x - from.x) * box.width * beyond, y: middle.y }
    : { x: middle.x, y: middle.y + Math.sign(middle.y - from.y) * box.height * beyond };
}
