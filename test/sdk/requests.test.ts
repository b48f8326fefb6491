import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { Errand, type ErrandOptions } from "../../packages/sdk/src/errand.ts";
import {
  ApiError,
  ConnectionFailed,
  InsufficientCredits,
  RateLimited,
  ReauthorizationRequired,
  RequestTimedOut,
  Unavailable,
} from "../../packages/sdk/src/errors.ts";
import { startLoopbackServer } from "../_harness/browser.ts";

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

type Handler = (response: ServerResponse, request: Received) => void;

/** A server that answers the first request with the first handler, and so on. */
async function serve(handlers: Handler[], options: Partial<ErrandOptions> = {}) {
  const requests: Received[] = [];
  const server = await startLoopbackServer(async (request, response) => {
    const received = { method: request.method, url: request.url, headers: request.headers, body: await text(request) };
    handlers[requests.push(received) - 1]?.(response, received);
  });
  const errand = new Errand({ baseUrl: `${server.url}/`, applicationId: "app", accessToken: "token", ...options });
  return { errand, requests, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

function error(status: number, code: string, headers: Record<string, string> = {}): Handler {
  return json(status, { error: { code, message: `About ${code}.`, request_id: "request-1" } }, headers);
}

const EXECUTION = { execution: { id: "one", status: "QUEUED" } };
const NOW = { "retry-after": "0" };
const cutOff: Handler = (response) => void response.destroy();
const cutInBody: Handler = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"execution', () => response.destroy());
};

describe("creating an execution", () => {
  it("sends the options in the API's words, with an idempotency key of its own", async () => {
    await using service = await serve([json(201, EXECUTION), json(201, EXECUTION), json(201, EXECUTION)]);
    const { executions } = service.errand;
    expect(await executions.create({ prompt: "Go" })).toEqual(EXECUTION.execution);
    await executions.create({
      prompt: "Go",
      startUrl: new URL("https://shop.example/"),
      output: { type: "object" },
      approval: "commits",
      metadata: { order: "42" },
      recipe: "8d0f6c1e-5a0a-4f0e-9c39-4cf0a3b2d1e0",
      variables: { quantity: "3" },
      idempotencyKey: "order-42",
    });
    await executions.create({ prompt: "Go" });

    const [first, second, third] = service.requests;
    expect(first).toMatchObject({ method: "POST", url: "/v1/applications/app/executions", body: '{"prompt":"Go"}' });
    expect(first?.headers).toMatchObject({ authorization: "Bearer token", "content-type": "application/json" });
    expect(JSON.parse(second?.body ?? "")).toEqual({
      prompt: "Go",
      start_url: "https://shop.example/",
      output_schema: { type: "object" },
      approval: "commits",
      metadata: { order: "42" },
      recipe: "8d0f6c1e-5a0a-4f0e-9c39-4cf0a3b2d1e0",
      variables: { quantity: "3" },
    });
    expect(second?.headers["idempotency-key"]).toBe("order-42");
    expect(first?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(third?.headers["idempotency-key"]).not.toBe(first?.headers["idempotency-key"]);
  });

  it("repeats the same request, with the same key, after 429, 503 and broken connections", async () => {
    await using service = await serve([
      error(429, "RATE_LIMITED", NOW),
      error(503, "UNAVAILABLE", NOW),
      cutOff,
      cutInBody,
      json(201, EXECUTION),
    ]);
    expect(await service.errand.executions.create({ prompt: "Go" })).toEqual(EXECUTION.execution);
    expect(service.requests).toHaveLength(5);
    expect(new Set(service.requests.map(({ headers, body }) => `${headers["idempotency-key"]} ${body}`)).size).toBe(1);
  });

  it.each([
    ["a number of seconds", () => "1"],
    ["a date", () => new Date(Date.now() + 2_000).toUTCString()],
  ])("waits as long as Retry-After says: %s", async (_, retryAfter) => {
    const times: number[] = [];
    const noting =
      (handler: Handler): Handler =>
      (response, request) => {
        times.push(performance.now());
        handler(response, request);
      };
    await using service = await serve([
      noting((response, request) => error(429, "RATE_LIMITED", { "retry-after": retryAfter() })(response, request)),
      noting(json(201, EXECUTION)),
    ]);
    await service.errand.executions.create({ prompt: "Go" });
    // A date has whole seconds, so that at least one of the two is left.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(990);
  });

  it.each([
    [402, "INSUFFICIENT_CREDITS", InsufficientCredits],
    [409, "CONNECTION_REAUTHORIZATION_REQUIRED", ReauthorizationRequired],
    [500, "INTERNAL", ApiError],
    [418, "SOMETHING_NEW", ApiError],
  ])("does not repeat %i %s, and throws its class", async (status, code, Class) => {
    await using service = await serve([error(status, code)]);
    const failure = await service.errand.executions.create({ prompt: "Go" }).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(Class);
    expect(failure).toMatchObject({
      status,
      code,
      message: `About ${code}.`,
      requestId: "request-1",
      authorization: null,
    });
    expect(service.requests).toHaveLength(1);
  });

  it("has the link for a user who must connect again, if it knows where they come back to", async () => {
    const redirectUri = "https://app.example/callback";
    await using service = await serve([error(409, "CONNECTION_REAUTHORIZATION_REQUIRED")], { redirectUri });
    const failure = await service.errand.executions.create({ prompt: "Go" }).catch((reason: unknown) => reason);
    if (!(failure instanceof ReauthorizationRequired)) throw failure;
    const { url = "", state, codeVerifier } = failure.authorization ?? {};
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      client_id: "app",
      redirect_uri: redirectUri,
      state,
    });
    expect(codeVerifier).toMatch(/^[\w-]{43}$/);
  });
});

describe("requests", () => {
  it.each([
    [429, RateLimited],
    [503, Unavailable],
  ])("give up after the retries, also when a proxy says %i", async (status, Class) => {
    const busy: Handler = (response) => response.writeHead(status, NOW).end("<h1>Busy</h1>");
    await using service = await serve([busy, busy, busy], { maxRetries: 2 });
    const failure = await service.errand.executions.get("one").catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(Class);
    expect(failure).toMatchObject({ status, code: `HTTP_${status}`, retryAfterSeconds: 0 });
    expect(service.requests).toHaveLength(3);
  });

  it("do not wait for more than a minute: the caller decides", async () => {
    await using service = await serve([error(429, "RATE_LIMITED", { "retry-after": "61" })]);
    await expect(service.errand.executions.get("one")).rejects.toMatchObject({
      code: "RATE_LIMITED",
      retryAfterSeconds: 61,
    });
    expect(service.requests).toHaveLength(1);
  });

  it("repeat an answer only if it was certainly not carried out", async () => {
    const answer = { id: "question", action: "approve" } as const;
    await using limited = await serve([error(429, "RATE_LIMITED", NOW), json(200, { interaction: answer })]);
    expect(await limited.errand.interactions.answer("one", answer)).toEqual(answer);
    await using broken = await serve([cutOff, json(200, { interaction: answer })]);
    await expect(broken.errand.interactions.answer("one", answer)).rejects.toBeInstanceOf(ConnectionFailed);
  });

  it("say which service did not respond in time", async () => {
    await using service = await serve([() => {}], { timeout: 50, maxRetries: 0 });
    const failure = await service.errand.executions.get("one").catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(RequestTimedOut);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/^http:\/\/127.0.0.1:\d+ did not respond within 0.05 s/),
    });
  });

  it("say why the service cannot be reached", async () => {
    const errand = new Errand({
      baseUrl: "http://127.0.0.1:9",
      applicationId: "app",
      accessToken: "token",
      maxRetries: 0,
    });
    await expect(errand.executions.get("one")).rejects.toThrow(/http:\/\/127.0.0.1:9: .+/);
  });

  it("say that another kind of server responded", async () => {
    await using service = await serve([(response) => response.end("<h1>Hello</h1>")]);
    await expect(service.errand.executions.get("one")).rejects.toThrow(/baseUrl/);
  });

  it("never follow redirects with the token", async () => {
    await using service = await serve([(response) => response.writeHead(302, { location: "/elsewhere" }).end()], {
      maxRetries: 0,
    });
    await expect(service.errand.executions.get("one")).rejects.toBeInstanceOf(ConnectionFailed);
    expect(service.requests).toHaveLength(1);
  });

  it("end with the reason of the signal, also while waiting for the next attempt", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    await using service = await serve([
      (response, request) => {
        error(429, "RATE_LIMITED", { "retry-after": "60" })(response, request);
        setImmediate(() => controller.abort(reason));
      },
    ]);
    await expect(service.errand.executions.get("one", { signal: controller.signal })).rejects.toBe(reason);
  });

  it("read all pages of a list", async () => {
    const page = (ids: string[], has_more: boolean) => json(200, { executions: ids.map((id) => ({ id })), has_more });
    await using service = await serve([page(["3", "2"], true), page(["1"], false)]);
    const listed = await Array.fromAsync(service.errand.executions.list({ limit: 2 }));
    expect(listed.map(({ id }) => id)).toEqual(["3", "2", "1"]);
    expect(service.requests.map(({ url }) => url?.split("?")[1])).toEqual(["limit=2", "limit=2&after=2"]);
  });

  it("need an access token, a URL and an application", async () => {
    const options = { baseUrl: "http://127.0.0.1:9", applicationId: "app" };
    await expect(new Errand(options).executions.get("one")).rejects.toThrow(/accessToken/);
    expect(() => new Errand({ ...options, baseUrl: "errand.example" })).toThrow(/baseUrl/);
    expect(() => new Errand({ ...options, applicationId: "" })).toThrow(/applicationId/);
  });
});
