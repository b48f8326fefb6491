import { Type } from "typebox";
import { type Action, elementInput } from "./action.ts";
import { findHitPoint, moveMouse } from "./pointer.ts";
import { getElement } from "./target.ts";

const input = Type.Object(elementInput, { additionalProperties: false });

export const hover: Action<typeof input> = {
  name: "hover",
  description: "",
  input,
  effect: "local",
  async run(_input, context) {
    const element = getElement(context);
    const point = await findHitPoint(element, context.signal);
    await moveMouse(element.handle.frame.page(), point);
    return null;
  },
};
