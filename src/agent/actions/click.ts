import { Type } from "typebox";
import type { Action } from "./action.ts";
import { demandSubmission } from "./blocked-submission.ts";
import { clickElement } from "./click-element.ts";
import { elementInput } from "./element-input.ts";
import { getEnabledElement } from "./enabled-element.ts";
import { chooseOption, isNativeOption } from "./native-select.ts";

const input = Type.Object(
  {
    ...elementInput,
    double: Type.Optional(Type.Boolean({ description: "A double click. Default: a single one." })),
  },
  { additionalProperties: false },
);

export const click: Action<typeof input> = {
  name: "click",
  description:
    "Clicks a button, a link, a tab, a menu item or anything else with a ref. Fails as covered, with the name of the " +
    "cover, when something lies over it. The report shows what changed: address, lines of the page, requests.",
  input,
  effect: "mutate",
  async run({ double: isDouble = false }, context) {
    const element = await getEnabledElement(context);
    if (await isNativeOption(element.handle)) await chooseOption(element.handle, context.signal);
    else await demandSubmission(element.handle, () => clickElement(element, { signal: context.signal, isDouble }));
    return null;
  },
};
