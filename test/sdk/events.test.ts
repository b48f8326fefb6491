import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { Errand } from "../../packages/sdk/src/errand.ts";
import { Unavailable } from "../../packages/sdk/src/errors.ts";
import { parseEventStream } from "../../packages/sdk/src/events.ts";
import { startLoopbackServer } from "../_harness/browser.ts";

async function parse(...chunks: (string | Uint8Array)[]) {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
  }
  return Array.fromAsync(parseEventStream(bytes()));
}

describe("the parser of event streams", () => {
  it("reads id, type and data, and ignores comments and other fields", async () => {
    expect(await parse(": connected\n\nid: 7\nevent: step\nretry: 5\ndata: {}\n\n")).toEqual([
      { id: "7", type: "step", data: "{}" },
    ]);
  });

  it.each(["\n", "\r\n", "\r"])("reads lines that end with %j, wherever the chunks are cut", async (end) => {
    const text = [": hello", "", "id: 1", "event: step", "data: ä→🛒", "data: two", "", "data:three", "", ""].join(end);
    const bytes = new TextEncoder().encode(text);
    const expected = [
      { id: "1", type: "step", data: "ä→🛒\ntwo" },
      { id: "1", type: "message", data: "three" },
    ];
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      // Another stream follows a lone CR at the end, so that it is known not to be half a line end.
      expect(await parse(bytes.slice(0, cut), bytes.slice(cut), ": end")).toEqual(expected);
    }
  });

  it("does not report an event that is cut off", async () => {
    expect(await parse('id: 1\ndata: {"a":1}\n\nid: 2\ndata: {"a":')).toEqual([
      { id: "1", type: "message", data: '{"a":1}' },
    ]);
  });
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers the first request with the first handler, and so on. */
async function serve(...handlers: Handler[]) {
  const requests: IncomingMessage[] = [];
  const server = await startLoopbackServer((request, response) => {
    handlers[requests.push(request) - 1]?.(request, response);
  });
  const errand = new Errand({ baseUrl: server.url, applicationId: "app", accessToken: "token", maxRetries: 1 });
  return { errand, requests, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function write(response: ServerResponse, ...events: [number, string][]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [id, type] of events) {
    response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, at: "", data: {} })}\n\n`);
  }
}

describe("executions.events", () => {
  it("continues after the last event when the connection breaks or ends early, and stops at the end", async () => {
    await using service = await serve(
      (_, response) => {
        write(response, [1, "execution.queued"], [2, "execution.started"]);
        response.write("id: 3\nevent: step\ndata: {", () => response.destroy());
      },
      (_, response) => {
        write(response, [3, "step"]);
        response.end();
      },
      // Not the last one: nothing has happened in the meantime.
      (_, response) => write(response) ?? response.end(": connected\n\n"),
      (_, response) => response.destroy(),
      (_, response) => write(response, [4, "step"], [5, "execution.completed"]),
    );
    const seen = await Array.fromAsync(service.errand.executions.events("id"));
    expect(seen.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(service.requests.map(({ headers }) => headers["last-event-id"])).toEqual(["0", "2", "3", "3", "3"]);
    expect(service.requests[0]?.headers.accept).toBe("text/event-stream");
  });

  it("closes the connection when the reader stops", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using service = await serve((_, response) => {
      response.on("close", resolve);
      write(response, [1, "execution.queued"], [2, "execution.started"]);
    });
    for await (const { id } of service.errand.executions.events("id")) if (id === 1) break;
    await closed;
    expect(service.requests).toHaveLength(1);
  });

  it("rejects with the reason of the signal", async () => {
    await using service = await serve((_, response) => write(response, [1, "execution.queued"]));
    const controller = new AbortController();
    const reason = new Error("enough");
    const events = service.errand.executions.events("id", { signal: controller.signal });
    await events.next();
    const next = events.next();
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  it("gives up when the service stays away", async () => {
    const away: Handler = (_, response) => response.writeHead(503, { "retry-after": "0" }).end();
    await using service = await serve(away, away, away, away);
    await expect(service.errand.executions.events("id").next()).rejects.toBeInstanceOf(Unavailable);
    // Each of the two attempts was repeated once.
    expect(service.requests).toHaveLength(4);
  });

  it("does not repeat what the service rejects", async () => {
    await using service = await serve((_, response) => response.writeHead(404).end());
    await expect(service.errand.executions.events("id").next()).rejects.toMatchObject({ status: 404 });
    expect(service.requests).toHaveLength(1);
  });
});
