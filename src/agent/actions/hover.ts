import { Type } from "typebox";
import { type Action, elementInput } from "./action.ts";
import { findHitPoint, moveMouse } from "./pointer.ts";
import { findFrame, getElement } from "./target.ts";

const input = Type.Object(elementInput, { additionalProperties: false });

export const hover: Action<typeof input> = {
  name: "hover",
  description: "",
  input,
  effect: "local",
  async run(_input, context) {
    const element = getElement(context);
    const point = await findHitPoint(element, context.signal);
    const page = (await findFrame(element))?.page();
    if (page !== undefined) await moveMouse(page, point);
    return null;
  },
};
