import type { ModelRequest, Part, Tool } from "../../src/models/model.ts";

export const CLICK: Tool = {
  name: "click",
  description: "Clicks what has this reference.",
  input: {
    type: "object",
    properties: {
      ref: { type: "string" },
      times: { type: "integer", minimum: 1 },
      button: { enum: ["left", "right"] },
    },
    required: ["ref"],
    additionalProperties: false,
  },
};

export const DONE: Tool = {
  name: "done",
  description: "Says that the errand is done.",
  input: { type: "object", properties: {}, additionalProperties: false },
};

/** The smallest valid image. */
const PICTURE: Part = { kind: "image", data: Buffer.from("iVBORw0KGgo=", "base64"), contentType: "image/png" };

/** A question for a model. */
export function question(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You run errands.",
    stablePrompt: "The errand: buy a kettle.",
    parts: [{ kind: "text", text: "The page: [e1] button Buy" }],
    tools: [CLICK, DONE],
    maxCalls: 3,
    ...changes,
  };
}

export function questionWithPicture(): ModelRequest {
  const plain = question();
  return { ...plain, parts: [...plain.parts, PICTURE] };
}

/** A signal that never aborts. */
export function patience(): AbortSignal {
  return new AbortController().signal;
}
