import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { checkModelAccess } from "../../src/cli/doctor-checks.ts";
import { COLOURS } from "../../src/models/probe-model.ts";
import { runErrand } from "../_harness/errand.ts";
import type { ModelRequest } from "../_harness/model-request.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../_harness/model-server.ts";
import { temporaryFolder } from "../_harness/programs.ts";

const ORDER = {
  city: "Ghent",
  priority: "high",
  lines: [
    { name: "Brindle kettle", quantity: 2, price: 34.5 },
    { name: "Larch cup", quantity: 6, price: 4.25 },
  ],
};
const KEY = "sk-test-0123456789abcdef";

describe("doctor finds that a model", () => {
  it("works", async () => {
    await using server = await startModelServer(answerWell);
    const finding = await examine(server);
    expect(finding).toEqual({
      status: "ok",
      message: expect.stringMatching(
        /^openai-compatible:scripted responds in \d+\.\d s; tool calls: native; JSON schema: followed; images: seen$/,
      ),
    });
    expect(server.requests).toHaveLength(2);
  });

  it("has no tool calls, and says how to enable them", async () => {
    await using server = await startModelServer((request) =>
      request.tools.length > 0
        ? { status: 400, body: '{"error":{"message":"does not support tools"}}' }
        : { text: JSON.stringify({ tool: toolOf(request), input: inputFor(request) }) },
    );
    expect(await examine(server)).toEqual({
      status: "warning",
      message: expect.stringContaining("tool calls: as JSON in text; JSON schema: followed; images: seen"),
      fix: expect.stringContaining("--jinja"),
    });
  });

  it("rejects images", async () => {
    await using server = await startModelServer((request) =>
      request.images > 0 ? { status: 400, body: '{"error":{"message":"no image input"}}' } : answerWell(request),
    );
    expect(await examine(server)).toMatchObject({
      status: "warning",
      message: expect.stringContaining("images: rejected"),
      fix: expect.stringContaining("Choose a model that reads images"),
    });
  });

  it("accepts images but cannot read them", async () => {
    await using server = await startModelServer((request) =>
      request.images > 0
        ? { calls: [{ name: "name_colours", input: { left: "red", right: "red" } }] }
        : answerWell(request),
    );
    expect(await examine(server)).toMatchObject({
      status: "warning",
      message: expect.stringContaining("images: not seen"),
    });
  });

  it("needs corrections", async () => {
    await using server = await startModelServer((request) =>
      request.images === 0 && request.messages.length === 2
        ? { calls: [{ name: "record_order", input: { city: "Ghent" } }] }
        : answerWell(request),
    );
    expect(await examine(server)).toMatchObject({
      status: "warning",
      message: expect.stringContaining("JSON schema: followed after a correction"),
    });
  });

  it("does not follow instructions", async () => {
    await using server = await startModelServer((request) =>
      request.images === 0
        ? { calls: [{ name: "record_order", input: { ...ORDER, city: "Bruges" } }] }
        : answerWell(request),
    );
    expect(await examine(server)).toMatchObject({
      status: "problem",
      message: expect.stringContaining("JSON schema: not followed"),
      fix: expect.stringContaining("ERRAND_MODEL"),
    });
  });

  it.each<[string, ModelReply, RegExp]>([
    [
      "rejects the API key",
      { status: 401, body: `{"error":{"message":"wrong key ${KEY}"}}` },
      /ERRAND_MODEL_API_KEY.*It says: wrong key …$/,
    ],
    [
      "does not exist",
      { status: 404, body: '{"error":{"message":"no model scripted"}}' },
      /name in ERRAND_MODEL.*no model scripted/,
    ],
    ["never calls a tool", { text: "Hello." }, /Choose a model that supports tool calls/],
  ])("%s", async (_, reply, message) => {
    await using server = await startModelServer(() => reply);
    const finding = await examine(server);
    expect(finding).toEqual({ status: "problem", message: expect.stringMatching(message) });
    expect(finding.message).not.toContain(KEY);
  });

  it("cannot be reached", async () => {
    const server = await startModelServer();
    await server[Symbol.asyncDispose]();
    expect(await examine(server)).toEqual({
      status: "problem",
      message: expect.stringMatching(/no connection to .*ECONNREFUSED.*ERRAND_MODEL_BASE_URL/),
    });
  });
});

describe("errand doctor", () => {
  it("tests the models of planner and verifier, each with its own settings", async () => {
    await using planner = await startModelServer(answerWell);
    await using verifier = await startModelServer(() => ({ status: 401 }));
    const { stdout } = await runErrand(["doctor"], {
      ERRAND_DATA_DIR: temporaryFolder(),
      DATABASE_URL: "postgresql://127.0.0.1:1/none",
      ERRAND_BROWSER_PATH: "/nowhere/chrome",
      ERRAND_MODEL: "openai-compatible:scripted",
      ERRAND_MODEL_BASE_URL: planner.url,
      ERRAND_VERIFIER_MODEL: "openai-compatible:judge",
      ERRAND_VERIFIER_MODEL_BASE_URL: verifier.url,
    });
    expect(stdout).toMatch(
      /✗ model +openai-compatible:scripted responds in .*; verifier: The key for openai-compatible:judge/,
    );
    expect(stdout).toContain("ERRAND_VERIFIER_MODEL_API_KEY");
    expect(verifier.lastRequest.model).toBe("judge");
  });
});

function examine(server: ModelServer) {
  return checkModelAccess({
    spec: "openai-compatible:scripted",
    baseUrl: server.url,
    apiKey: KEY,
    silenceMs: 30_000,
    patienceMs: 180_000,
    setting: "ERRAND_MODEL",
  });
}

/** A model that does everything right: it really reads the image. */
function answerWell(request: ModelRequest): ModelReply {
  return { calls: [{ name: toolOf(request), input: inputFor(request) }] };
}

function toolOf({ images }: ModelRequest): string {
  return images > 0 ? "name_colours" : "record_order";
}

function inputFor(request: ModelRequest): object {
  return request.images > 0 ? coloursIn(request) : ORDER;
}

/** The first and the last pixel of the image. */
function coloursIn({ body }: ModelRequest): object {
  const [, encoded = ""] = /data:image\/png;base64,([^"]+)/.exec(JSON.stringify(body)) ?? [];
  const png = Buffer.from(encoded, "base64");
  const data = png.indexOf("IDAT");
  const pixels = inflateSync(png.subarray(data + 4, data + 4 + png.readUInt32BE(data - 4)));
  return { left: nameOf(pixels.subarray(1, 4)), right: nameOf(pixels.subarray(-3)) };
}

function nameOf(pixel: Buffer): string {
  return Object.entries(COLOURS).find(([, colour]) => pixel.equals(Buffer.from(colour)))?.[0] ?? "unknown";
}
