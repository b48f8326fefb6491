import { Type } from "typebox";
import { type Action, ActionFailed, elementInput } from "./action.ts";
import { findNativeSelect, selectInCustomList, selectNative } from "./option-list.ts";
import { quote } from "./plain-text.ts";
import { getEnabledElement } from "./target.ts";

const input = Type.Object(
  {
    ...elementInput,
    options: Type.Array(Type.String({ maxLength: 500 }), {
      minItems: 1,
      maxItems: 50,
      description: "What to choose, as it reads in the list. More than one only in lists that take several.",
    }),
  },
  { additionalProperties: false },
);

/** A click on these opens or is a list; on anything else it might do something that nobody asked for. */
const LIST_ROLES: ReadonlySet<string> = new Set([
  "combobox",
  "listbox",
  "button",
  "textbox",
  "searchbox",
  "radiogroup",
]);

export const select: Action<typeof input> = {
  name: "select",
  description:
    "Chooses in a list, a dropdown or a combobox, by the words of the option. In a list for several, exactly the named " +
    "options are chosen. When none fits, the failure lists what there is.",
  input,
  effect: "mutate",
  deadlineMs: 20_000,
  async run({ ref, options }, context) {
    const element = await getEnabledElement(context);
    const list = await findNativeSelect(element.handle);
    if (list !== null) await selectNative(list, options, context.signal);
    else if (LIST_ROLES.has(element.role)) await selectInCustomList({ ...element, ref }, options, context);
    else
      throw new ActionFailed("not_found", `The ${element.role} ${quote(element.name)} is no list. Click it instead.`);
    return null;
  },
};
