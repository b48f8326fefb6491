import { Type } from "typebox";
import { type Action, ActionFailed, elementInput } from "./action.ts";
import { requireSubmission } from "./form-submission.ts";
import { chooseOption, isNativeOption } from "./option-list.ts";
import { clickAtOnce, clickElement, clickPoint } from "./pointer.ts";
import { getElement, getEnabledElement } from "./target.ts";

const input = Type.Object(
  {
    ...elementInput,
    double: Type.Optional(Type.Boolean({ description: "Double-click. Default: a single click." })),
    right: Type.Optional(Type.Boolean({ description: "With the right mouse button. It never submits a form." })),
    x: Type.Optional(Type.Integer({ description: "Only for a canvas or a picture: the point in the screenshot." })),
    y: Type.Optional(Type.Integer({ description: "Only for a canvas or a picture: the point in the screenshot." })),
  },
  { additionalProperties: false },
);

/** Of which the observation has no parts. Everything else has a ref of its own, and is not clicked blindly. */
function isPicture({ role }: { readonly role: string }): boolean {
  return role === "canvas" || role === "img";
}

export const click: Action<typeof input> = {
  name: "click",
  description: "right for a context menu",
  input,
  effect: "mutate",
  async run({ double: isDouble = false, right: isRight = false, x, y }, context) {
    const options = { signal: context.signal, isDouble, isRight };
    const isSimple = x === undefined && !isRight && getElement(context).role !== "option";
    if (isSimple && (await clickAtOnce(getElement(context), options))) return null;
    const element = await getEnabledElement(context);
    if (x !== undefined && y !== undefined) {
      if (!isPicture(element))
        throw new ActionFailed("invalid_input", "click: x and y are only for a canvas or a picture.");
      await clickPoint(element, { x, y }, options);
      return null;
    }
    if (isRight) await clickElement(element, options);
    else if (element.role === "option" && (await isNativeOption(element.handle)))
      await chooseOption(element.handle, context.signal);
    else await requireSubmission(element.handle, () => clickElement(element, options));
    return null;
  },
};
