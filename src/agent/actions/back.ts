import { Type } from "typebox";
import type { Action } from "./action.ts";

const input = Type.Object({}, { additionalProperties: false });

export const back: Action<typeof input> = {
  name: "back",
  description: "",
  input,
  effect: "navigate",
  deadlineMs: 45_000,
  async run(_input, { session, signal }) {
    await session.back(signal);
    return null;
  },
};
