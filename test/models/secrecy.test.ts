import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ModelFailure } from "../../src/models/model.ts";
import { type ModelReply, modelAt, startModelServer } from "../_harness/model-server.ts";
import { patience, question } from "../_harness/question.ts";

const KEY = "sk-test-0123456789abcdef";
const GOOD: ModelReply = { calls: [{ name: "click", input: { ref: "e1" } }] };

describe("the key", () => {
  it("is sent to the model's server as a bearer token, and no header is sent without a key", async () => {
    await using server = await startModelServer([GOOD, GOOD]);
    await (await modelAt(server, { apiKey: KEY })).ask(question(), patience());
    expect(server.lastRequest.headers.authorization).toBe(`Bearer ${KEY}`);
    await (await modelAt(server)).ask(question(), patience());
    expect(server.lastRequest.headers.authorization).toBeUndefined();
  });

  it.each([301, 302, 307, 308])("is not sent along a redirect (%i) to another host", async (status) => {
    await using elsewhere = await startRecorder();
    await using server = await startModelServer([
      { status, headers: { location: `${elsewhere.url}/v1/chat/completions` } },
    ]);
    await expect((await modelAt(server, { apiKey: KEY })).ask(question(), patience())).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("Redirects are not followed"),
    });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("a failure", () => {
  const echo = JSON.stringify({
    error: { message: `bad key ${KEY} for prompt: The page: [e1] button Buy`, code: "invalid_request" },
    body: "The errand: buy a kettle.",
  });

  it.each<[string, ModelReply]>([
    ["a wrong key", { status: 401, body: echo }],
    ["a refusal", { status: 400, body: echo }],
    ["a server error", { status: 500, body: echo }],
    ["a rate limit", { status: 429, body: echo, headers: { "retry-after": "900" } }],
    ["an error in the stream", { body: `data: ${echo}\n\n`, contentType: "text/event-stream" }],
    ["a broken answer", { ...GOOD, midway: "break" }],
    ["prose", { text: `The page: [e1] button Buy ${KEY}` }],
    ["prose", { hang: "at once" }],
  ])("contains neither key nor prompt nor page at any depth: %s", async (_, reply) => {
    await using server = await startModelServer(() => reply);
    const model = await modelAt(server, { apiKey: KEY, silenceMs: 80 });
    const failure = await model.ask(question(), patience()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelFailure);
    const everything = inspect(failure, { depth: 20, showHidden: true });
    for (const secret of [KEY, "kettle", "button Buy", "You run errands"]) expect(everything).not.toContain(secret);
  });

  it("quotes the provider when enabled, but never the key", async () => {
    await using server = await startModelServer([{ status: 400, body: echo }]);
    const asked = (await modelAt(server, { apiKey: KEY, quotesProvider: true })).ask(question(), patience());
    await expect(asked).rejects.toMatchObject({ message: expect.stringContaining("It says: bad key … for prompt") });
  });
});

/** A host that should receive no requests. */
async function startRecorder() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end();
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
