import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { type Static, Type } from "typebox";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { type Action, type ActionContext, ActionFailed, elementInput } from "./action.ts";
import { dragByKeys, offersKeys } from "./drag-by-keys.ts";
import { readLayout, readPlacement, waitForChange } from "./drag-outcome.ts";
import { quote } from "./plain-text.ts";
import { findHitPoint, isHittable } from "./pointer.ts";
import { setSlider } from "./set-slider.ts";
import { getElement, pinElement } from "./target.ts";

const STEPS = 12;
const SETTLE_MS = 200;
/** Some pages begin a drag only after the button was held for a while. */
const HOLD_MS = 400;

const input = Type.Object(
  {
    ...elementInput,
    to_ref: Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: "The ref of the element to drop it on." }),
    ),
    to_label: Type.Optional(Type.String({ maxLength: 1000, description: "The name of that element as you read it." })),
    by_x: Type.Optional(Type.Integer({ minimum: -4000, maximum: 4000, description: "Instead: pixels to the right." })),
    by_y: Type.Optional(Type.Integer({ minimum: -4000, maximum: 4000, description: "Instead: pixels down." })),
    value: Type.Optional(Type.Number({ description: "For a slider: the number to set." })),
  },
  { additionalProperties: false },
);

export const drag: Action<typeof input> = {
  name: "drag",
  description: "onto to_ref, by pixels, or a slider to value",
  input,
  effect: "mutate",
  deadlineMs: 20_000,
  async run(given, context) {
    const source = getElement(context);
    if (given.value !== undefined) return await setSlider(source, given.value, context.signal);
    const target = await pinTarget(given, context);
    const isMoved = await dragInEveryWay({ page: source.handle.frame.page(), source, target, given }, context);
    if (!isMoved) {
      const what = `The ${source.role} ${quote(source.name)} was dragged`;
      throw new ActionFailed("no_effect", `${what}, and nothing on the page has moved. Drag another part of it.`);
    }
    return await readPlacement(source);
  },
};

type Input = Static<typeof input>;

async function pinTarget({ to_ref, to_label, by_x, by_y }: Input, { session }: ActionContext) {
  if (to_ref !== undefined) return await pinElement(session, { ref: to_ref, label: to_label });
  if (by_x === undefined && by_y === undefined) {
    throw new ActionFailed("invalid_input", 'drag: give a "to_ref", a distance or a "value".');
  }
  return null;
}

interface Drag {
  readonly page: Page;
  readonly source: PinnedElement;
  /** Null for a drag by a distance. */
  readonly target: PinnedElement | null;
  readonly given: Input;
}

/**
 * By keyboard where the element offers it, because that depends on no position; else with the mouse, and with the mouse
 * held for a while. The next way is tried only when the one before it changed nothing and sent nothing.
 */
async function dragInEveryWay(drag: Drag, { session, signal }: ActionContext): Promise<boolean> {
  const { source, target } = drag;
  const mark = session.mark();
  const before = await readLayout(source);
  if (target !== null && (await offersKeys(source))) {
    const isDropped = await dragByKeys(source, target, signal);
    if (isDropped && (await waitForChange(source, before, signal))) return true;
  }
  for (const holdMs of [0, HOLD_MS]) {
    if (session.since(mark).requests.some(({ method }) => !/^(GET|HEAD|OPTIONS)$/.test(method))) return true;
    await dragWithMouse(drag, holdMs, signal);
    if (await waitForChange(source, before, signal)) return true;
  }
  return false;
}

async function dragWithMouse(
  { page, source, target, given }: Drag,
  holdMs: number,
  signal: AbortSignal,
): Promise<void> {
  const from = await findHitPoint(source, signal);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  try {
    if (holdMs > 0) await sleep(holdMs, undefined, { signal });
    // Many libraries start a drag only after a few pixels.
    await page.mouse.move(from.x + 3, from.y + 3);
    await page.mouse.move(from.x + 8, from.y + 8);
    const to =
      target === null
        ? { x: from.x + (given.by_x ?? 0), y: from.y + (given.by_y ?? 0) }
        : await findDropPoint(source, target, from, signal);
    await page.mouse.move(to.x, to.y, { steps: STEPS });
    // They notice a drop target only when the mouse moves over it twice, and not while its neighbours make room.
    await sleep(SETTLE_MS, undefined, { signal });
    await page.mouse.move(to.x, to.y + 1);
    await page.mouse.move(to.x, to.y);
    await sleep(SETTLE_MS, undefined, { signal });
  } finally {
    await page.mouse.up();
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** How much larger than the dragged element an area is that holds others, instead of being one of them. */
const AREA_FACTOR = 3;

/**
 * Past the middle of the target, seen from where the drag starts: that is where sortable lists swap items. In an area that
 * holds items, the middle of what is in view. What covers the target is not checked, because the dragged element may
 * already do so.
 */
async function findDropPoint(
  source: PinnedElement,
  target: PinnedElement,
  from: Point,
  signal: AbortSignal,
): Promise<Point> {
  const [goal, dragged] = await Promise.all([target.handle.toHandle(), source.handle.toHandle()]);
  if (!(await isHittable(target))) await goal.scrollIntoViewIfNeeded({ timeout: 2000, signal });
  const [box, own] = await Promise.all([goal.boundingBox(), dragged.boundingBox()]);
  if (box === null) throw new ActionFailed("covered", "The drop target is not visible.");
  const view = await target.handle.evaluate(() => ({ width: top?.innerWidth ?? 0, height: top?.innerHeight ?? 0 }));
  const left = Math.max(box.x, 0);
  const upper = Math.max(box.y, 0);
  const right = Math.min(box.x + box.width, view.width || box.x + box.width);
  const lower = Math.min(box.y + box.height, view.height || box.y + box.height);
  const middle = { x: (left + right) / 2, y: (upper + lower) / 2 };
  if (own !== null && box.width * box.height > AREA_FACTOR * own.width * own.height) return middle;
  const isAcross = Math.abs(middle.x - from.x) > Math.abs(middle.y - from.y);
  const beyond = 0.2;
  return isAcross
    ? { x: middle.x + Math.sign(middle.x - from.x) * box.width * beyond, y: middle.y }
    : { x: middle.x, y: middle.y + Math.sign(middle.y - from.y) * box.height * beyond };
}
