import { Type } from "typebox";
import type { Observation } from "../../browser/observation/observation.ts";
import type { ObservedNode } from "../../browser/observation/observed-node.ts";
import { walk } from "../../browser/observation/tree.ts";
import { type Action, ActionFailed } from "./action.ts";
import { optionalElementInput } from "./element-input.ts";
import { toReadableText } from "./readable-text.ts";

const CHUNK_LENGTH = 8000;

const input = Type.Object(
  {
    ...optionalElementInput,
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "Where to go on: next_offset of the part before." })),
  },
  { additionalProperties: false },
);

export const read: Action<typeof input> = {
  name: "read",
  description:
    "Reads the text of the whole page, or of the element with the ref, without the shortening of observations: " +
    `up to ${CHUNK_LENGTH} characters, with next_offset when there is more.`,
  input,
  effect: "read",
  run({ ref, offset = 0 }, { observation }) {
    const text = toReadableText(ref === undefined ? observation.root : getNode(observation, ref));
    const end = Math.min(offset + CHUNK_LENGTH, text.length);
    const next_offset = end < text.length ? end : null;
    return Promise.resolve({ text: text.slice(offset, end), offset, next_offset, total_length: text.length });
  },
};

function getNode({ root }: Observation, ref: string): ObservedNode {
  for (const { node } of walk(root)) if (node.ref === ref) return node;
  throw new ActionFailed("stale", `There is no ${ref} in the newest look at the page.`);
}
