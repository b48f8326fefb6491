import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createModel, type ModelOptions } from "../../src/models/create-model.ts";
import type { Model } from "../../src/models/model.ts";
import { completionChunks, completionOf, eventOf, type ScriptedAnswer } from "./model-completion.ts";
import { type ModelRequest, readModelRequest } from "./model-request.ts";

/** The model's reply to one request. */
export type ModelReply = {
  /** Nothing is sent before this promise resolves. */
  after?: Promise<unknown>;
} & (
  | ScriptedAnswer
  /** This body, unchanged. */
  | { body: string; contentType?: string }
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Never responds, not even with headers. */
  | { hang: "at once" }
);

export type ModelScript = readonly ModelReply[] | ((request: ModelRequest) => ModelReply | Promise<ModelReply>);

/** An OpenAI-compatible model on loopback that sends scripted replies. */
export class ModelServer implements AsyncDisposable {
  readonly url: string;
  readonly requests: ModelRequest[] = [];
  /** Provides the reply when nothing is queued. */
  answer: ((request: ModelRequest) => ModelReply | Promise<ModelReply>) | null = null;
  readonly #queue: ModelReply[] = [];
  readonly #close: () => Promise<void>;
  #arrivals: { count: number; arrived: () => void }[] = [];
  #left = 0;
  #departures: { count: number; departed: () => void }[] = [];

  constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /** Queues replies, one for each of the next requests. */
  say(...replies: ModelReply[]): void {
    this.#queue.push(...replies);
  }

  /** The number of queued replies that were not requested. */
  get unsaid(): number {
    return this.#queue.length;
  }

  /** The newest request. Throws if there was none. */
  get lastRequest(): ModelRequest {
    const request = this.requests.at(-1);
    if (request === undefined) throw new Error("the model was not asked");
    return request;
  }

  /** Everything the model was sent, for tests that search it for what must not be there. */
  get everythingSent(): string {
    return this.requests.map(({ body }) => JSON.stringify(body)).join("\n");
  }

  /** Waits until this many requests have arrived in total. */
  async untilAsked(count: number): Promise<void> {
    if (this.requests.length >= count) return;
    await new Promise<void>((arrived) => this.#arrivals.push({ count, arrived }));
  }

  /** Waits until this many clients have disconnected before the end of their response. */
  async untilLeft(count: number): Promise<void> {
    if (this.#left >= count) return;
    await new Promise<void>((departed) => this.#departures.push({ count, departed }));
  }

  /** @internal */
  leave(): void {
    this.#left += 1;
    for (const { count, departed } of this.#departures) if (this.#left >= count) departed();
  }

  /** @internal */
  async receive(request: ModelRequest): Promise<ModelReply> {
    this.requests.push(request);
    for (const { count, arrived } of this.#arrivals) if (this.requests.length >= count) arrived();
    // A client error, which is not retried, so that the test ends at once.
    const nothing = {
      status: 400,
      body: JSON.stringify({ error: { message: "nothing is scripted", code: "unscripted" } }),
    };
    return this.#queue.shift() ?? (await this.answer?.(request)) ?? nothing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

/** Starts a model server. `await using` closes it, even while responses hang. */
export async function startModelServer(script: ModelScript = []): Promise<ModelServer> {
  const server = createServer((request, response) => {
    serve(models, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const models = new ModelServer(`http://127.0.0.1:${port}/v1`, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  if (typeof script === "function") models.answer = script;
  else models.say(...script);
  return models;
}

/** The agent's model, connected to that server. It does not sleep between attempts. */
export function modelAt(server: ModelServer, options: Partial<ModelOptions> = {}): Promise<Model> {
  return createModel({
    spec: "openai-compatible:scripted",
    baseUrl: server.url,
    apiKey: null,
    sleep: async () => {},
    ...options,
  });
}

async function serve(models: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readBody(request);
  const path = request.url ?? "";
  if (path.startsWith("/v1/models")) {
    send(response, 200, JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
    return;
  }
  if (!path.startsWith("/v1/chat/completions")) {
    send(response, 404, JSON.stringify({ error: { message: `no ${path} here` } }));
    return;
  }
  const asked = readModelRequest(path, request.headers, text);
  response.once("close", () => {
    if (!response.writableFinished) models.leave();
  });
  const reply = await models.receive(asked);
  await reply.after;
  if ("hang" in reply) return;
  if ("status" in reply) send(response, reply.status, reply.body ?? "", reply.headers);
  else if ("body" in reply)
    send(response, 200, reply.body, { "content-type": reply.contentType ?? "application/json" });
  else if (asked.stream) await stream(response, asked, reply);
  else sendWhole(response, asked, reply);
}

async function stream(response: ServerResponse, asked: ModelRequest, reply: ScriptedAnswer): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunks = completionChunks(asked, reply);
  const sent = reply.midway === undefined ? chunks : chunks.slice(0, Math.ceil(chunks.length / 2));
  for (const chunk of sent) response.write(eventOf(chunk));
  if (reply.midway === "hang") return;
  if (reply.midway === "break") {
    // Flush first, so that the client really receives half an answer.
    await new Promise((written) => response.write("\n", written));
    response.destroy();
    return;
  }
  if (reply.midway === undefined) response.write("data: [DONE]\n\n");
  response.end();
}

function sendWhole(response: ServerResponse, asked: ModelRequest, reply: ScriptedAnswer): void {
  const body = JSON.stringify(completionOf(asked, reply));
  if (reply.midway === undefined) {
    send(response, 200, body);
    return;
  }
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.write(body.slice(0, body.length / 2));
  if (reply.midway !== "hang") response.destroy();
}

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
