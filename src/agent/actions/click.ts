import { Type } from "typebox";
import { type Action, elementInput } from "./action.ts";
import { requireSubmission } from "./form-submission.ts";
import { chooseOption, isNativeOption } from "./option-list.ts";
import { clickElement } from "./pointer.ts";
import { getEnabledElement } from "./target.ts";

const input = Type.Object(
  {
    ...elementInput,
    double: Type.Optional(Type.Boolean({ description: "Double-click. Default: a single click." })),
  },
  { additionalProperties: false },
);

export const click: Action<typeof input> = {
  name: "click",
  description:
    "Clicks a button, a link, a tab, a menu item or anything else with a ref. Fails as covered, naming what covers it, " +
    "when something lies over it. The report shows what changed: URL, lines of the page, requests.",
  input,
  effect: "mutate",
  async run({ double: isDouble = false }, context) {
    const element = await getEnabledElement(context);
    if (await isNativeOption(element.handle)) await chooseOption(element.handle, context.signal);
    else await requireSubmission(element.handle, () => clickElement(element, { signal: context.signal, isDouble }));
    return null;
  },
};
