import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createModel } from "../../src/models/create-model.ts";
import { patience, question, questionWithPicture } from "../_harness/question.ts";

const KEY = "key-of-provider";
const CACHED = { cache_control: { type: "ephemeral" } };

/** What each provider streams for a click on e1; the last event marks the end. */
const STREAMS: Record<string, object[]> = {
  anthropic: [
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        content: [],
        model: "x",
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10, cache_read_input_tokens: 90, cache_creation_input_tokens: 0, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "click", input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"ref":"e1"}' } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 12 } },
    { type: "message_stop" },
  ],
  openai: [
    { type: "response.created", response: { id: "r", created_at: 0, model: "x" } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { type: "function_call", id: "f", call_id: "c", name: "click", arguments: "" },
    },
    { type: "response.function_call_arguments.delta", item_id: "f", output_index: 0, delta: '{"ref":"e1"}' },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: {
        type: "function_call",
        id: "f",
        call_id: "c",
        name: "click",
        arguments: '{"ref":"e1"}',
        status: "completed",
      },
    },
    {
      type: "response.completed",
      response: {
        incomplete_details: null,
        usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 90 }, output_tokens: 12 },
      },
    },
  ],
  google: [
    {
      candidates: [{ content: { role: "model", parts: [{ functionCall: { name: "click", args: { ref: "e1" } } }] } }],
    },
    {
      candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 90, candidatesTokenCount: 12 },
    },
  ],
};
const PROVIDERS = Object.keys(STREAMS);

describe("a provider", () => {
  it.each(PROVIDERS)("%s gets its own request format, and its answer is understood", async (provider) => {
    await using server = await startProvider((send) => send(provider, STREAMS[provider] ?? []));
    const model = await createModel({ spec: `${provider}:x`, baseUrl: server.url, apiKey: KEY });
    const { calls, usage } = await model.ask(questionWithPicture(), patience());
    expect(calls).toEqual([{ tool: "click", input: { ref: "e1" } }]);
    expect(usage).toMatchObject({ inputTokens: 100, cachedInputTokens: 90, outputTokens: 12, requests: 1 });
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(KEY);
    expect(server.requests[0]?.path).not.toContain(KEY);
  });

  it.each(PROVIDERS)("%s is asked again when its answer breaks off", async (provider) => {
    const events = STREAMS[provider] ?? [];
    await using server = await startProvider((send, count) =>
      send(provider, events.slice(0, count === 1 ? -1 : undefined)),
    );
    const model = await createModel({ spec: `${provider}:x`, baseUrl: server.url, apiKey: KEY, sleep: async () => {} });
    // The second attempt is not streamed; only the fact that it is made matters.
    await model.ask(question(), patience()).catch(() => null);
    expect(server.requests.length).toBeGreaterThan(1);
  });

  it.each(PROVIDERS)("%s is not asked again when it refuses the key", async (provider) => {
    await using server = await startProvider((_, __, refuse) => refuse(401));
    const model = await createModel({ spec: `${provider}:x`, baseUrl: server.url, apiKey: KEY });
    await expect(model.ask(question(), patience())).rejects.toMatchObject({ kind: "unauthorized" });
    expect(server.requests).toHaveLength(1);
  });

  it("anthropic is told what to cache: the rules and the constant part", async () => {
    await using server = await startProvider((send) => send("anthropic", STREAMS["anthropic"] ?? []));
    const model = await createModel({ spec: "anthropic:x", baseUrl: server.url, apiKey: KEY });
    await model.ask(question(), patience());
    expect(server.requests[0]?.body).toMatchObject({
      system: [{ text: "You run errands.", ...CACHED }],
      messages: [{ content: [{ text: "The errand: buy a kettle.", ...CACHED }, expect.not.objectContaining(CACHED)] }],
      tool_choice: { type: "any" },
    });
  });

  it("openai is told to store nothing", async () => {
    await using server = await startProvider((send) => send("openai", STREAMS["openai"] ?? []));
    const model = await createModel({ spec: "openai:x", baseUrl: server.url, apiKey: KEY });
    await model.ask(question(), patience());
    expect(server.requests[0]).toMatchObject({ path: "/responses", body: { store: false, tool_choice: "required" } });
  });

  it.each([
    ["nonsense", { spec: "nonsense" }, /ERRAND_MODEL must be provider:model/],
    ["another provider", { spec: "mistral:large" }, /providers are anthropic, openai, google, openai-compatible/],
    ["no key", { spec: "anthropic:x" }, /Set ERRAND_MODEL_API_KEY/],
    ["no URL", { spec: "openai-compatible:x" }, /Set ERRAND_MODEL_BASE_URL/],
  ])("is refused with %s", async (_, { spec }, message) => {
    await expect(createModel({ spec, baseUrl: null, apiKey: null })).rejects.toThrow(message);
  });

  it("is loaded only when it is used, and never by shared modules", async () => {
    const main = JSON.stringify(join(import.meta.dirname, "../../src/models/create-model.ts"));
    const script = `
      import { registerHooks } from "node:module";
      const loaded = new Set();
      registerHooks({ load: (url, context, next) => (loaded.add(/node_modules\\/(@ai-sdk\\/[^/]+|ai)\\//.exec(url)?.[1]), next(url, context)) });
      const { createModel } = await import(${main});
      const before = [...loaded].filter(Boolean);
      await createModel({ spec: "anthropic:x", baseUrl: null, apiKey: "k" });
      console.log(JSON.stringify({ before, after: [...loaded].filter(Boolean).sort() }));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(JSON.parse(stdout)).toEqual({
      before: [],
      after: ["@ai-sdk/anthropic", "@ai-sdk/provider", "@ai-sdk/provider-utils"],
    });
  });
});

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

type Answering = (
  send: (provider: string, events: object[]) => void,
  count: number,
  refuse: (status: number) => void,
) => void;

/** A provider-neutral server that sends the given events. */
async function startProvider(answer: Answering) {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
    requests.push({ path: request.url ?? "", headers: request.headers, body });
    const send = (provider: string, events: object[]) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) {
        const name = provider === "anthropic" ? `event: ${(event as { type: string }).type}\n` : "";
        response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    };
    answer(send, requests.length, (status) => response.writeHead(status).end("{}"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
