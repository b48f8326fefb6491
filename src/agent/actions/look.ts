import { Type } from "typebox";
import type { Action } from "./action.ts";

const input = Type.Object({}, { additionalProperties: false });

/** The planner takes the screenshot itself, in its next turn. */
export const look: Action<typeof input> = {
  name: "look",
  description: "a screenshot; click takes its x, y in a canvas or img",
  input,
  effect: "read",
  run: () => Promise.resolve({ screenshot: true }),
};
