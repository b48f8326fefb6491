import { Type } from "typebox";
import type { Action } from "./action.ts";

const input = Type.Object({}, { additionalProperties: false });

/** The planner takes the screenshot itself, in its next turn. */
export const look: Action<typeof input> = {
  name: "look",
  description: "Asks for a screenshot of the page. Use it when the text is not enough: charts, maps, images, layout.",
  input,
  effect: "read",
  run: () => Promise.resolve({ screenshot: true }),
};
