import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import openApi from "../../docs/openapi.json" with { type: "json" };
import type { ErrorBody } from "../../src/contract/error.ts";
import { createApi } from "../_harness/api.ts";
import { withDatabaseAway } from "../_harness/database-away.ts";
import {
  agree,
  authorizePath,
  basic,
  newPkce,
  PASSWORD,
  postForm,
  REDIRECT_URI,
  registerClient,
  Visitor,
} from "../_harness/oauth-flow.ts";
import { expectRefusal, sendRaw } from "../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

describe("the service", () => {
  let service: TestService;
  let connection: TestConnection;
  let executionId: string;
  let base: string;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    ({ id: executionId } = await createApi(service.url, connection).created());
    base = `/v1/applications/${connection.applicationId}/executions`;
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { headers, redirect: "manual" });
  const authorization = () => ({ authorization: `Bearer ${connection.token}` });
  const corsOf = ({ headers }: Response) => [...headers].filter(([name]) => name.startsWith("access-control-"));
  const EXPOSED = [
    "etag",
    "idempotency-replayed",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "www-authenticate",
    "x-request-id",
  ];

  describe("lets pages of any origin", () => {
    it.each<[string, string, () => string]>([
      ["POST", "exchange a code", () => "/v1/oauth/token"],
      ["POST", "revoke a token", () => "/v1/oauth/revoke"],
      ["GET", "read the metadata", () => "/.well-known/oauth-authorization-server"],
      ["GET", "read the OpenAPI document", () => "/openapi.json"],
      ["POST", "create an execution", () => base],
      ["GET", "list executions", () => base],
      ["GET", "read an execution", () => `${base}/${executionId}`],
      ["POST", "cancel an execution", () => `${base}/${executionId}/cancel`],
      ["GET", "follow events", () => `${base}/${executionId}/events`],
    ])("send a preflight for %s: %s", async (method, _name, path) => {
      const wanted = "authorization, content-type, idempotency-key, if-none-match, last-event-id, x-request-id";
      const answer = await fetch(service.url + path(), {
        method: "OPTIONS",
        headers: {
          origin: "https://spa.example",
          "access-control-request-method": method,
          "access-control-request-headers": wanted,
        },
      });
      expect([answer.status, await answer.text()]).toEqual([204, ""]);
      const { headers } = answer;
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-methods")?.split(", ")).toContain(method);
      expect(headers.get("access-control-allow-headers")?.split(", ")).toEqual(
        expect.arrayContaining(wanted.split(", ")),
      );
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
    });

    it.each<[number, string, () => Promise<Response>]>([
      [200, "a list", () => get(base, authorization())],
      [200, "the metadata", () => get("/.well-known/oauth-authorization-server")],
      [200, "a stream", () => canceledStream()],
      [201, "a creation", () => post(base, { prompt: "x" })],
      [400, "a mistake in the body", () => post(base, { prompt: "" })],
      [400, "broken JSON", () => post(base, "{")],
      [400, "an unknown code", () => form("/v1/oauth/token", { client_id: connection.applicationId, code: "x" })],
      [401, "no token", () => get(base)],
      [401, "an unknown client", () => form("/v1/oauth/revoke", { client_id: randomUUID(), token: "x" })],
      [403, "another application", () => get(`/v1/applications/${randomUUID()}/executions`, authorization())],
      [404, "an unknown execution", () => get(`${base}/${randomUUID()}`, authorization())],
      [405, "another method", () => fetch(service.url + base, { method: "DELETE" })],
      [409, "an execution that has ended", () => endedTwice()],
      [413, "a body that is too large", () => post(base, " ".repeat(1024 * 1024 + 1))],
      [415, "another content type", () => post(base, "x", "text/plain")],
    ])("read the response %i to %s", async (status, _name, send) => {
      const answer = await send();
      expect(answer.status, await answer.text()).toBe(status);
      const cors = Object.fromEntries(corsOf(answer));
      expect(Object.keys(cors).sort()).toEqual(["access-control-allow-origin", "access-control-expose-headers"]);
      expect(cors["access-control-allow-origin"]).toBe("*");
      expect(cors["access-control-expose-headers"]?.split(", ").sort()).toEqual(EXPOSED);
      expect(answer.headers.getSetCookie()).toEqual([]);
    });

    const post = (path: string, body: unknown, type = "application/json") =>
      fetch(service.url + path, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": type, ...authorization() },
      });
    const form = (path: string, fields: Record<string, string>) =>
      fetch(service.url + path, { method: "POST", body: new URLSearchParams(fields) });

    async function canceledStream(): Promise<Response> {
      const api = createApi(service.url, connection);
      const { id } = await api.created();
      await api.cancel(id);
      return get(`${base}/${id}/events`, { accept: "text/event-stream", ...authorization() });
    }

    /** No worker runs here, and this must not end by cancel, so the database row is changed directly. */
    async function endedTwice(): Promise<Response> {
      const { id } = await createApi(service.url, connection).created();
      await service.database.query(
        `update executions set status = 'FAILED', terminal_status = 'timed_out', terminal_reason = 'Late.',
           error_code = 'TIMED_OUT', error_message = 'Late.', completed_at = now() where id = $1`,
        [id],
      );
      return fetch(`${service.url}${base}/${id}/cancel`, { method: "POST", headers: authorization() });
    }
  });

  it.each<[string, () => string]>([
    ["the sign-in page", () => "/sign-in"],
    ["the sign-up page", () => "/sign-up"],
    ["the authorization link", () => authorizePath(connection.applicationId)],
    ["a broken authorization link", () => "/v1/oauth/authorize"],
    ["the start page", () => "/"],
    ["the metrics", () => "/metrics"],
  ])("lets no other origin read %s", async (_name, path) => {
    for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
      const headers = { origin: "https://spa.example", "access-control-request-method": "POST" };
      const answer = await fetch(service.url + path(), { method, headers, redirect: "manual" });
      expect(corsOf(answer)).toEqual([]);
      expect(answer.status).toBeLessThan(500);
    }
  });

  it.each(["a", "4bf92f3577b34da6a3ce929d0e0e4736", "web-1_2.3", "x".repeat(128)])(
    "keeps the request id %s that it is given",
    async (id) => {
      const answer = await get(base, { "x-request-id": id });
      expect(answer.headers.get("x-request-id")).toBe(id);
      expect(((await answer.json()) as ErrorBody).error.request_id).toBe(id);
    },
  );

  it.each(["", "x".repeat(129), "two words", "<script>", "a,b", "schl\xfcssel", "a;b", '"a"'])(
    "creates a new request id instead of %j",
    async (id) => {
      const answer = await sendRaw(service.url, { target: base, headers: [["x-request-id", id]] });
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(JSON.parse(answer.body).error.request_id).toBe(answer.headers.get("x-request-id"));
    },
  );

  it("creates another request id for each request", async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await get("/healthz")).headers.get("x-request-id")),
    );
    expect(new Set(ids).size).toBe(20);
  });

  it("reports at /healthz that it is alive and at /readyz that it is ready", async () => {
    const [alive, ready] = [await get("/healthz"), await get("/readyz")];
    expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }]);
  });

  it("measures requests at /metrics by method, route and status, without names or ids", async () => {
    await get(`${base}/${executionId}`, authorization());
    await get(`/made-up-${connection.connectionId}`, authorization());
    const answer = await vi.waitFor(async () => {
      const metrics = await get("/metrics");
      const text = await metrics.text();
      expect(text).toContain('route="unknown",status="404"');
      return { metrics, text };
    });
    expect(answer.metrics.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const sample =
      /^[a-zA-Z_:][\w:]*(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})? (?:[-+]?[\d.]+(?:e[-+]?\d+)?|[-+]?Inf|NaN)$/;
    const comment = /^# (?:HELP [\w:]+ .+|TYPE [\w:]+ (?:counter|gauge|histogram|summary|untyped))$/;
    const lines = answer.text.split("\n").filter((line) => line !== "");
    expect(lines.filter((line) => !sample.test(line) && !comment.test(line))).toEqual([]);
    const labels = 'method="GET",route="/v1/applications/:applicationId/executions/:executionId",status="200"';
    expect(answer.text).toContain(`errand_http_request_duration_seconds_count{${labels}}`);
    expect(answer.text).toContain(`errand_http_request_duration_seconds_bucket{le="+Inf",${labels}}`);
    for (const value of [connection.applicationId, connection.connectionId, executionId, connection.token, "made-up"]) {
      expect(answer.text).not.toContain(value);
    }
  });

  it("serves the repository's OpenAPI document with its own URL", async () => {
    const served = await (await get("/openapi.json")).json();
    const [{ url }] = openApi.servers as [{ url: string }];
    expect(served).toEqual(JSON.parse(JSON.stringify(openApi).replaceAll(url, service.url)));
  });

  it("serves the API reference at /docs, which runs only this service's script", async () => {
    const response = await fetch(`${service.url}/docs`, { redirect: "manual" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")?.split("; ").sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
    ]);
    const page = await response.text();
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).toMatch(/<noscript>.*<a href="\/openapi\.json">/);
  });

  it("logs one line per request, by route and never by URL", async () => {
    const route = "/v1/applications/:applicationId/executions";
    const requests: [string, string, string, number, string | null][] = [
      ["line-1", "GET", "/healthz", 200, "/healthz"],
      ["line-2", "GET", base, 401, route],
      ["line-3", "DELETE", base, 405, route],
      ["line-4", "GET", `${base}/${executionId}?wait=0`, 401, `${route}/:executionId`],
      ["line-5", "GET", "/nothing/here", 404, null],
      ["line-6", "POST", "/v1/oauth/token", 401, "/v1/oauth/token"],
      ["line-7", "GET", "/sign-in?return_to=/x", 200, "/sign-in"],
    ];
    for (const [id, method, path] of requests) {
      await (await fetch(service.url + path, { method, headers: { "x-request-id": id } })).text();
    }
    await vi.waitFor(() => expect(service.log.join("")).toContain('"line-7"'));
    for (const [id, method, , status, expectedRoute] of requests) {
      const lines = service.log.map((line) => JSON.parse(line)).filter((line) => line.request_id === id);
      expect(lines).toEqual([
        {
          level: "info",
          time: expect.any(String),
          request_id: id,
          method,
          route: expectedRoute,
          status,
          ms: expect.any(Number),
          msg: "request",
        },
      ]);
    }
    expect(service.log.join("")).not.toContain("return_to");
    expect(service.log.join("")).not.toContain("/nothing/here");
  });
});

describe("the log", () => {
  it("contains no token, code, secret, cookie or password, however it was sent", async () => {
    await using service = await startTestService({ settings: { ERRAND_LOG_LEVEL: "trace" } });
    const { id, secret } = await registerClient(service, { type: "confidential", redirectUris: [REDIRECT_URI] });
    if (secret === null) throw new Error("a confidential application has a secret");
    const secrets = new Set<string>([
      secret,
      PASSWORD,
      "a wrong password",
      "a wrong secret",
      basic(id, secret).authorization,
    ]);

    const visitor = new Visitor(service.url);
    const email = await visitor.signUp();
    for (const password of ["a wrong password", PASSWORD]) {
      const page = await visitor.get("/sign-in");
      secrets.add(page.form("/sign-in").fields["form_token"] ?? "no form token");
      await visitor.submit(page.form("/sign-in"), { email, password });
    }
    for (const value of visitor.cookies.values()) secrets.add(value).add(decodeURIComponent(value));

    const { verifier, challenge } = newPkce();
    const code =
      (await agree(visitor, authorizePath(id, { ...challenge, state: "a-state" }))).searchParams.get("code") ?? "";
    secrets.add(code).add(verifier);
    const grant = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI, code_verifier: verifier };
    await postForm(`${service.url}/v1/oauth/token`, grant, basic(id, "a wrong secret"));
    await postForm(`${service.url}/v1/oauth/token`, { ...grant, client_id: id, client_secret: "a wrong secret" });
    const { status, body } = await postForm(`${service.url}/v1/oauth/token`, grant, basic(id, secret));
    expect(status, JSON.stringify(body)).toBe(200);
    const token: string = body.access_token;
    secrets.add(token);

    const address = `${service.url}/v1/applications/${id}/executions`;
    const authorization = `Bearer ${token}`;
    const leaks: [string, RequestInit][] = [
      [address, { headers: { authorization } }],
      [`${address}?access_token=${token}`, {}],
      [`${address}?after=${token}`, { headers: { authorization } }],
      [`${address}/${token}`, { headers: { authorization } }],
      [`${service.url}/${token}/${secret}?code=${code}`, {}],
      [`${service.url}/callback?code=${code}&state=x`, { headers: { cookie: `session=${token}` } }],
      [
        address,
        { method: "POST", headers: { authorization, "content-type": "application/json" }, body: `{"${token}"` },
      ],
      [
        address,
        {
          method: "POST",
          headers: { authorization, "content-type": "application/json", "idempotency-key": `${token}-key` },
          body: JSON.stringify({ prompt: `My password is ${PASSWORD}.`, [token]: secret }),
        },
      ],
      [address, { method: "POST", headers: { authorization, "content-type": "text/plain" }, body: secret }],
      [address, { method: "DELETE", headers: { authorization, cookie: `session=${token}` } }],
      [`${address}/%ZZ${token}`, { headers: { authorization } }],
    ];
    for (const [leak, init] of leaks) expect((await fetch(leak, init)).status).toBeLessThan(500);
    await withDatabaseAway(service, "refuses", async () => {
      for (const [leak, init] of leaks) await fetch(leak, init);
      await postForm(`${service.url}/v1/oauth/token`, grant, basic(id, secret));
      const page = await visitor.get("/sign-in");
      await visitor.submit(page.form("/sign-in"), { email, password: PASSWORD });
      await visitor.get(authorizePath(id));
    });
    await postForm(`${service.url}/v1/oauth/revoke`, { token }, basic(id, secret));
    await fetch(`${service.url}/healthz`, { headers: { "x-request-id": "the-end" } });
    await vi.waitFor(() => expect(service.log.join("")).toContain("the-end"));

    expect(secrets.size).toBeGreaterThanOrEqual(9);
    const leaked = service.log.filter((line) => [...secrets].some((value) => line.includes(value)));
    expect(leaked).toEqual([]);
  });
});

describe("a stopping service", () => {
  it("is alive but no longer ready", async () => {
    await using service = await startTestService();
    service.service.beginStopping();
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    const ready = await sendRaw(service.url, { target: "/readyz" });
    expectRefusal(ready, { status: 503, code: "UNAVAILABLE" });
    expect(ready.headers.get("retry-after")).toBe("1");
  });
});
