import { Type } from "typebox";
import { type Action, elementInput } from "./action.ts";
import { findHitPoint } from "./pointer.ts";
import { getElement } from "./target.ts";

const input = Type.Object(elementInput, { additionalProperties: false });

export const hover: Action<typeof input> = {
  name: "hover",
  description:
    "Moves the mouse onto an element without clicking. Use it for menus and tooltips that open on hover; the report shows " +
    "what appeared.",
  input,
  effect: "local",
  async run(_input, context) {
    const element = getElement(context);
    const { x, y } = await findHitPoint(element, context.signal);
    const page = (await element.handle.ownerFrame())?.page();
    // Moves twice: a mousemove listener may only react to the second move.
    await page?.mouse.move(x - 1, y);
    await page?.mouse.move(x, y);
    return null;
  },
};
