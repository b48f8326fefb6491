import { isDeepStrictEqual } from "node:util";
import { crc32, deflateSync } from "node:zlib";
import type { ProviderModel } from "./create-model.ts";
import {
  type Model,
  ModelFailure,
  type ModelFailureKind,
  type ModelRequest,
  type ModelResponse,
  type Tool,
} from "./model.ts";

/** What a model can do, as tested. */
export type ModelProbe =
  | { readonly outcome: "failed"; readonly failure: ModelFailure }
  | {
      readonly outcome: "responded";
      readonly toolCalls: "native" | "as JSON in text";
      /** Whether its calls match the schema: at once, after a correction, or not, or with other values than given. */
      readonly schema: "followed" | "followed after a correction" | "not followed";
      readonly images: "seen" | "rejected" | "not seen";
      /** Of one response. */
      readonly durationMs: number;
    };

const ORDER = {
  city: "Ghent",
  priority: "high",
  lines: [
    { name: "Brindle kettle", quantity: 2, price: 34.5 },
    { name: "Larch cup", quantity: 6, price: 4.25 },
  ],
};

const RECORD: Tool = {
  name: "record_order",
  description: "Records an order exactly as it was given.",
  input: {
    type: "object",
    properties: {
      city: { type: "string" },
      priority: { enum: ["low", "normal", "high"] },
      lines: {
        type: "array",
        items: {
          type: "object",
          properties: { name: { type: "string" }, quantity: { type: "integer" }, price: { type: "number" } },
          required: ["name", "quantity", "price"],
          additionalProperties: false,
        },
      },
    },
    required: ["city", "priority", "lines"],
    additionalProperties: false,
  },
};

const SYSTEM = "This is a test. Do exactly what is asked, by calling the tool you are given, once.";

/** Sends two small requests without secrets: one needs a call that matches a schema, the other one vision. */
export async function probeModel(model: ProviderModel, signal: AbortSignal): Promise<ModelProbe> {
  const task = `Record this order for ${ORDER.city}, priority ${ORDER.priority}: 2 × Brindle kettle at 34.50, 6 × Larch cup at 4.25.`;
  try {
    const first = await model.ask(toRequest(task, RECORD), signal);
    // With the capabilities now known, the same request shows what the model does by itself.
    const response = first.usage.requests === 1 ? first : await model.ask(toRequest(task, RECORD), signal);
    return {
      outcome: "responded",
      toolCalls: model.callsTools ? "native" : "as JSON in text",
      schema: judgeSchema(response),
      images: await probeImages(model, signal),
      durationMs: response.usage.durationMs,
    };
  } catch (error) {
    if (error instanceof ModelFailure) return { outcome: "failed", failure: error };
    throw error;
  }
}

function toRequest(task: string, tool: Tool): ModelRequest {
  return { system: SYSTEM, stablePrompt: task, parts: [], tools: [tool], maxCalls: 1 };
}

function judgeSchema({ calls, usage }: ModelResponse): "followed" | "followed after a correction" | "not followed" {
  if (!isDeepStrictEqual({ ...calls[0]?.input }, ORDER)) return "not followed";
  return usage.requests === 1 ? "followed" : "followed after a correction";
}

/** Two colours out of six, so that guessing fails. */
async function probeImages(model: ProviderModel, signal: AbortSignal): Promise<"seen" | "rejected" | "not seen"> {
  const [left, right] = pickTwo(Object.keys(COLOURS) as Colour[]);
  const colour = { enum: [...Object.keys(COLOURS), "cannot see it"] };
  const tool: Tool = {
    name: "name_colours",
    description: "Says which colours the two halves of the picture have.",
    input: {
      type: "object",
      properties: { left: colour, right: colour },
      required: ["left", "right"],
      additionalProperties: false,
    },
  };
  const request = toRequest("Which colour is the left half of this picture, and which the right half?", tool);
  const picture = { kind: "image", data: drawTwoColours(left, right), contentType: "image/png" } as const;
  try {
    const { calls } = await model.ask({ ...request, parts: [picture] }, signal);
    if (!model.seesImages) return "rejected";
    return calls[0]?.input["left"] === left && calls[0].input["right"] === right ? "seen" : "not seen";
  } catch (error) {
    // It has just responded to another request, so the picture is the problem.
    if (error instanceof ModelFailure && (error.kind === "unusable" || error.kind === "rejected")) return "rejected";
    throw error;
  }
}

function pickTwo(colours: readonly Colour[]): [Colour, Colour] {
  const first = Math.floor(Math.random() * colours.length);
  const second = (first + 1 + Math.floor(Math.random() * (colours.length - 1))) % colours.length;
  return [colours[first] ?? "red", colours[second] ?? "blue"];
}

const READY: Tool = {
  name: "ready",
  description: "Confirms that you are available.",
  input: { type: "object", properties: {}, additionalProperties: false },
};

/** After these failures the model is reachable nevertheless. */
const REACHABLE_KINDS: readonly ModelFailureKind[] = ["rejected", "unusable"];

/** Sends the smallest possible request. Throws ModelFailure when the model is not reachable. */
export async function checkModelReachable(model: Model, signal: AbortSignal): Promise<void> {
  const request = {
    system: "Call the tool.",
    stablePrompt: "Are you available?",
    parts: [],
    tools: [READY],
    maxCalls: 1,
  };
  try {
    await model.ask(request, signal);
  } catch (error) {
    if (!(error instanceof ModelFailure && REACHABLE_KINDS.includes(error.kind))) throw error;
  }
}

export const COLOURS = {
  red: [220, 20, 20],
  green: [20, 160, 40],
  blue: [20, 40, 220],
  yellow: [250, 220, 0],
  black: [0, 0, 0],
  white: [255, 255, 255],
} as const satisfies Record<string, readonly [number, number, number]>;

type Colour = keyof typeof COLOURS;

/** Large enough for models that split pictures into tiles. */
const SIDE = 128;

/** A PNG whose left half has one colour and whose right half has another. */
function drawTwoColours(left: Colour, right: Colour): Buffer {
  const half = (colour: Colour) => Buffer.from(Array.from({ length: SIDE / 2 }, () => COLOURS[colour]).flat());
  // Zero: the row is not filtered.
  const row = Buffer.concat([Buffer.from([0]), half(left), half(right)]);
  const size = Buffer.alloc(8);
  size.writeUInt32BE(SIDE, 0);
  size.writeUInt32BE(SIDE, 4);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    // Eight bits each of red, green and blue; no interlacing.
    chunk("IHDR", Buffer.concat([size, Buffer.from([8, 2, 0, 0, 0])])),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
