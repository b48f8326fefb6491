import { Type } from "typebox";
import { type Action, ActionFailed } from "./action.ts";

const input = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 20, description: "The id of the tab, such as t2." }),
    close: Type.Optional(Type.Boolean({ description: "Closes the tab instead of switching to it." })),
  },
  { additionalProperties: false },
);

export const tab: Action<typeof input> = {
  name: "tab",
  description: "",
  input,
  effect: "navigate",
  async run({ id, close = false }, { session, observation: { tabs } }) {
    if (!tabs.some((known) => known.id === id)) {
      const known = tabs.map((each) => each.id).join(", ");
      throw new ActionFailed("not_found", `There is no tab ${id}. Open tabs: ${known}.`);
    }
    if (close && tabs.length === 1) throw new ActionFailed("policy", "The only tab cannot be closed.");
    await (close ? session.closeTab(id) : session.switchTab(id));
    return null;
  },
};
