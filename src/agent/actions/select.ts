import { Type } from "typebox";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { type Action, type ActionContext, ActionFailed, elementInput } from "./action.ts";
import { selectInCustomList } from "./custom-list.ts";
import { findDrawnControl, findNativeSelect, hasSuggestions, selectNative, selectSuggestion } from "./option-list.ts";
import { quote } from "./plain-text.ts";
import { getEnabledElement } from "./target.ts";

const input = Type.Object(
  {
    ...elementInput,
    options: Type.Array(Type.String({ maxLength: 500 }), {
      minItems: 1,
      maxItems: 50,
      description: "The options to select, as worded in the list. More than one only in lists that allow several.",
    }),
  },
  { additionalProperties: false },
);

/** A click on one of these opens a list. A click on anything else might do something that nobody asked for. */
const LIST_ROLES: ReadonlySet<string> = new Set([
  "combobox",
  "listbox",
  "button",
  "textbox",
  "searchbox",
  "radiogroup",
  // Lists that are made of plain elements.
  "generic",
]);

/** An option that the <select> does not have may still be in what the page draws instead of it. */
async function selectInNativeList(
  list: PinnedElement & { ref: string },
  options: readonly string[],
  context: ActionContext,
): Promise<void> {
  try {
    await selectNative(list.handle, options, context.signal);
  } catch (error) {
    const isMissing = error instanceof ActionFailed && error.kind === "not_found";
    const drawn = isMissing ? await findDrawnControl(list.handle) : null;
    if (drawn === null) throw error;
    await selectInCustomList({ ...list, role: "combobox", handle: drawn }, options, context);
  }
}

export const select: Action<typeof input> = {
  name: "select",
  description: "options by name",
  input,
  effect: "mutate",
  deadlineMs: 20_000,
  async run({ ref, options }, context) {
    const element = await getEnabledElement(context);
    const list = await findNativeSelect(element.handle);
    if (list !== null) await selectInNativeList({ ...element, ref, handle: list }, options, context);
    else if (await hasSuggestions(element.handle)) await selectSuggestion(element, options, context.signal);
    else if (LIST_ROLES.has(element.role)) await selectInCustomList({ ...element, ref }, options, context);
    else
      throw new ActionFailed(
        "not_found",
        `The ${element.role} ${quote(element.name)} is not a list. Click it instead.`,
      );
    return null;
  },
};
