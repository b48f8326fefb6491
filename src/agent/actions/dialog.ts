import { Type } from "typebox";
import { type Action, ActionFailed } from "./action.ts";

const input = Type.Object(
  {
    accept: Type.Boolean({ description: "true presses OK, false presses Cancel." }),
    text: Type.Optional(
      Type.String({ maxLength: 10_000, description: "The text to enter, if the dialog asks for one." }),
    ),
  },
  { additionalProperties: false },
);

export const dialog: Action<typeof input> = {
  name: "dialog",
  description: "accept only if the task calls for it",
  input,
  effect: "mutate",
  async run({ accept, text }, { session }) {
    if (session.dialog === null) throw new ActionFailed("not_found", "No dialog is open.");
    await session.answerDialog({ accept, ...(text === undefined ? {} : { text }) });
    return null;
  },
};
