import { Type } from "typebox";
import type { Action } from "./action.ts";

const input = Type.Object({}, { additionalProperties: false });

/** The picture itself is taken by whoever runs the loop: for the evidence it does so anyway. */
export const look: Action<typeof input> = {
  name: "look",
  description:
    "Asks for a picture of the page. Use it when the text of the page does not tell enough: charts, maps, images, layout.",
  input,
  effect: "read",
  run: () => Promise.resolve({ screenshot: true }),
};
