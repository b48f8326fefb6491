import { once } from "node:events";
import { Agent } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { EgressProxy } from "../../../src/browser/egress/egress-proxy.ts";
import { ask, credentialsOf, openRaw } from "../../_harness/egress-client.ts";
import { startHost } from "../../_harness/egress-host.ts";
import { createWorld, startProxy, startSite, type TestSite } from "../../_harness/egress-world.ts";
import { parseAnswer, readToEnd } from "../../_harness/raw-http.ts";

const SHOP = "93.184.216.34";

/** A proxy that allows shop.test, which is this site. */
function proxyTo(site: Pick<TestSite, "port">, limits = {}): Promise<EgressProxy> {
  const world = createWorld({ "shop.test": [SHOP] }, { [`${SHOP}:80`]: site.port });
  return startProxy({ ...world, allowedHosts: ["shop.test"], limits });
}

/** A host that sends these bytes on every connection and then does this. */
function startBytes(bytes: string, then: (socket: Socket) => void = (socket) => socket.end()) {
  return startHost((socket) => socket.once("data", () => socket.write(bytes, "latin1", () => then(socket))));
}

describe("a plain HTTP exchange through the proxy", () => {
  it("forwards method, path, headers and body both ways, and nothing about the proxy", async () => {
    await using site = await startSite((_request, response) => {
      response.writeHead(201, "Made", ["Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-Case", "Kept"]).end("made");
    });
    await using proxy = await proxyTo(site);
    const answer = await ask(proxy, "http://shop.test/path/%2e?q=%20#never", {
      method: "PATCH",
      headers: {
        cookie: "session=1",
        "x-own": "yes",
        "proxy-connection": "keep-alive",
        "keep-alive": "timeout=9",
        te: "trailers",
        upgrade: "h2c",
        connection: "keep-alive, x-secret, host, content-length",
        "x-secret": "only for the next hop",
      },
      body: "hällo",
    });
    expect(answer).toMatchObject({
      status: 201,
      body: "made",
      headers: { "set-cookie": ["a=1", "b=2"], "x-case": "Kept" },
    });
    const [seen] = site.requests;
    expect(seen).toMatchObject({ method: "PATCH", url: "/path/?q=%20", body: "hällo" });
    const names = seen?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    expect(names?.toSorted()).toEqual(["connection", "content-length", "cookie", "host", "x-own"]);
    expect(seen?.headers).toMatchObject({ host: "shop.test", cookie: "session=1", connection: "close" });
  });

  it("sends the host of the URL and not the one in the Host header", async () => {
    await using site = await startSite();
    await using proxy = await proxyTo(site);
    await ask(proxy, "http://shop.test/", { headers: { host: "evil.test" } });
    expect(site.requests.map(({ headers }) => headers.host)).toEqual(["shop.test"]);
  });

  it.each(["content-length", "transfer-encoding"])(
    "keeps a body framed by %s a body, even with GET",
    async (framing) => {
      const body = "GET /smuggled HTTP/1.1\r\nHost: shop.test\r\n\r\n";
      const headers = { [framing]: framing === "content-length" ? String(body.length) : "chunked" };
      const methods = ["GET", "POST", "DELETE"];
      await using site = await startSite();
      await using proxy = await proxyTo(site);
      for (const method of methods) {
        expect(await ask(proxy, "http://shop.test/outer", { method, headers, body })).toMatchObject({ status: 200 });
      }
      expect(site.requests.map((seen) => [seen.method, seen.url, seen.body])).toEqual(
        methods.map((method) => [method, "/outer", body]),
      );
    },
  );

  it.each([
    ["two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"],
    ["a length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a space before the colon", "Content-Length : 5\r\n\r\nhello"],
    ["a folded header", "X-A: b\r\n Content-Length: 5\r\n\r\nhello"],
    ["bad chunks", "Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
    ["an unknown encoding", "Transfer-Encoding: xchunked\r\n\r\n"],
    ["no Host", "\r\n", ""],
  ])("refuses a request with %s", async (_name, rest, host = "Host: shop.test\r\n") => {
    await using site = await startSite();
    await using proxy = await proxyTo(site);
    const auth = `Proxy-Authorization: ${credentialsOf(proxy)}\r\n`;
    const socket = await openRaw(proxy, `POST http://shop.test/ HTTP/1.1\r\n${host}${auth}${rest}`);
    expect(parseAnswer(await readToEnd(socket)).status).toBe(400);
    expect(site.requests.filter(({ body }) => body !== "")).toEqual([]);
  });

  it("forwards large bodies in both directions and counts them", async () => {
    const large = Buffer.alloc(24 * 1024 * 1024, "x");
    await using site = await startSite((_request, response) => response.end(large));
    await using proxy = await proxyTo(site);
    const answer = await ask(proxy, "http://shop.test/", { method: "POST", body: large });
    expect([answer.body.length, site.requests[0]?.body.length]).toEqual([large.length, large.length]);
    const [entry] = proxy.log().entries;
    expect(entry).toMatchObject({ host: "shop.test", port: 80, verdict: "allowed", requests: 1, failures: 0 });
    expect(entry?.bytesSent).toBeGreaterThan(large.length);
    expect(entry?.bytesReceived).toBeGreaterThan(large.length);
  });

  it("streams: a part arrives while the host is still writing", async () => {
    const { promise: firstPartSeen, resolve: tellHost } = Promise.withResolvers<void>();
    await using site = await startSite(async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
      await firstPartSeen;
      response.end("data: last\n\n");
    });
    await using proxy = await proxyTo(site);
    const auth = credentialsOf(proxy);
    const response = await fetchStream(proxy, auth);
    for await (const chunk of response) {
      tellHost();
      if (chunk.includes("last")) return;
    }
    expect.unreachable("the last part never came");
  });

  it.each([
    ["HEAD", 200, { "content-length": "1234" }],
    ["GET", 204, {}],
    ["GET", 304, { etag: '"1"', "content-length": "1234" }],
  ] as const)("forwards %s %i without a body, and the connection stays usable", async (method, status, headers) => {
    await using site = await startSite((_request, response) => response.writeHead(status, headers).end());
    await using proxy = await proxyTo(site);
    using agent = new DisposableAgent();
    for (let round = 0; round < 3; round++) {
      const answer = await ask(proxy, "http://shop.test/", { method, agent });
      expect(answer).toMatchObject({ status, body: "", headers });
      expect(answer.headers["transfer-encoding"]).toBeUndefined();
    }
    expect(agent.opened).toBe(1);
  });

  it("reuses connections for reads, and opens a new connection for every write", async () => {
    await using site = await startSite();
    await using proxy = await proxyTo(site);
    using agent = new DisposableAgent();
    for (let round = 0; round < 5; round++) await ask(proxy, "http://shop.test/", { agent });
    expect([agent.opened, site.connections]).toEqual([1, 1]);
    for (let round = 0; round < 3; round++) await ask(proxy, "http://shop.test/", { method: "POST", agent, body: "x" });
    expect([agent.opened, site.connections]).toEqual([1, 4]);
  });

  it("retries a read when a kept connection died, and never repeats a write", async () => {
    await using site = await startSite((request, response) => {
      // Promises to keep the connection alive, then breaks it at the next request.
      const { socket } = request;
      if (usedSockets.has(socket)) socket.resetAndDestroy();
      else response.end("fine");
      usedSockets.add(socket);
    });
    const usedSockets = new WeakSet<Socket>();
    await using proxy = await proxyTo(site);
    for (let round = 0; round < 3; round++) {
      expect(await ask(proxy, "http://shop.test/")).toMatchObject({ status: 200, body: "fine" });
    }
    expect(await ask(proxy, "http://shop.test/", { method: "POST" })).toMatchObject({ status: 200 });
    expect(site.requests.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "GET", "GET", "POST"]);
  });

  it("delivers an early response to a client that is still sending", async () => {
    await using site = await startSite(
      (request, response) => {
        request.resume();
        response.writeHead(413, { "content-length": "8" }).write("too much");
      },
      { unread: true },
    );
    await using proxy = await proxyTo(site);
    const answer = await ask(proxy, "http://shop.test/", { method: "POST", body: Buffer.alloc(8 * 1024 * 1024) });
    expect(answer).toMatchObject({ status: 413, body: "too much" });
  });

  it("ends at the host when the client disconnects", async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    await using site = await startSite((_request, response) => {
      response.once("close", resolve).write("begun");
    });
    await using proxy = await proxyTo(site);
    const response = await fetchStream(proxy, credentialsOf(proxy));
    response.destroy();
    await left;
  });
});

describe("when the host fails", () => {
  it.each([
    ["resets", "", (socket: Socket) => socket.resetAndDestroy(), 502, "connection_terminated"],
    ["hangs up", "", (socket: Socket) => socket.end(), 502, "connection_terminated"],
    ["does not speak HTTP", "SSH-2.0-OpenSSH\r\n", (socket: Socket) => socket.end(), 502, "http_protocol_error"],
    [
      "sends an endless response head",
      `HTTP/1.1 200 OK\r\nX: ${"y".repeat(99_999)}`,
      () => {},
      502,
      "http_protocol_error",
    ],
    [
      "responds like a proxy",
      "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n",
      () => {},
      502,
      "destination_unavailable",
    ],
    [
      "switches protocols without being asked",
      "HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      () => {},
      502,
      "destination_unavailable",
    ],
    ["stays silent", "", () => {}, 504, "http_response_timeout"],
    ["stops inside the response head", "HTTP/1.1 200 OK\r\nX", () => {}, 504, "http_response_timeout"],
  ] as const)("reports to the client that it %s", async (_name, bytes, then, status, error) => {
    await using host = await startBytes(bytes, then);
    await using proxy = await proxyTo(host, { idleTimeoutMs: 200, maxHeaderBytes: 16_384 });
    const answer = await ask(proxy, "http://shop.test/");
    expect(answer).toMatchObject({ status, headers: { "proxy-status": `errand; error=${error}` } });
    expect(answer.body).toMatch(/^No response from shop\.test:80: .+\.\n$/);
    expect(proxy.log().entries).toMatchObject([{ host: "shop.test", requests: 1, failures: 1 }]);
  });

  it.each([
    ["of known length", "Content-Length: 100\r\n\r\nhello"],
    ["of unknown length", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
  ])("shows the client that a response %s was cut off", async (_name, rest) => {
    for (const then of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      await using host = await startBytes(`HTTP/1.1 200 OK\r\n${rest}`, then);
      await using proxy = await proxyTo(host);
      await expect(ask(proxy, "http://shop.test/")).rejects.toThrow(/aborted|socket hang up|ECONNRESET|terminated/);
    }
  });

  it("reports that the connection is refused, that the name has no address, or that DNS timed out", async () => {
    await using gone = await startSite();
    const { port } = gone;
    await gone[Symbol.asyncDispose]();
    const world = createWorld({ "shop.test": [SHOP], "nothing.test": [] }, { [`${SHOP}:80`]: port });
    const resolve: typeof world.resolve = (name, signal) =>
      name === "slow.test" ? new Promise(() => {}) : world.resolve(name, signal);
    const allowedHosts = ["shop.test", "nothing.test", "unknown.test", "slow.test"];
    await using proxy = await startProxy({ ...world, resolve, allowedHosts, limits: { connectTimeoutMs: 200 } });
    const errors = await Promise.all(
      allowedHosts.map(async (host) => (await ask(proxy, `http://${host}/`)).headers["proxy-status"]),
    );
    expect(errors).toEqual(
      ["connection_refused", "dns_error", "dns_error", "dns_timeout"].map((error) => `errand; error=${error}`),
    );
  });

  it("reports that the connection timed out", async () => {
    await using deaf = startDeaf();
    await using proxy = await startProxy({
      ...deaf.world,
      allowedHosts: ["shop.test"],
      limits: { connectTimeoutMs: 200 },
    });
    const answer = await ask(proxy, "http://shop.test/");
    expect(answer).toMatchObject({ status: 504, headers: { "proxy-status": "errand; error=connection_timeout" } });
  });
});

describe("limits", () => {
  it("refuses more concurrent exchanges than allowed, and accepts new ones afterwards", async () => {
    const waiting: (() => void)[] = [];
    const { promise: bothArrived, resolve } = Promise.withResolvers<void>();
    await using site = await startSite((request, response) => {
      if (request.url !== "/wait") response.end("fine");
      else if (waiting.push(() => response.end("late")) === 2) resolve();
    });
    await using proxy = await proxyTo(site, { maxConnections: 2 });
    const held = [ask(proxy, "http://shop.test/wait"), ask(proxy, "http://shop.test/wait")];
    await bothArrived;
    expect(await ask(proxy, "http://shop.test/")).toMatchObject({ status: 503 });
    for (const answer of waiting) answer();
    expect(await Promise.all(held)).toMatchObject([{ body: "late" }, { body: "late" }]);
    await expect.poll(async () => (await ask(proxy, "http://shop.test/")).status).toBe(200);
  });

  it("refuses a request with a huge head", async () => {
    await using site = await startSite();
    await using proxy = await proxyTo(site, { maxHeaderBytes: 16_384 });
    expect(await ask(proxy, "http://shop.test/", { headers: { "x-a": "y".repeat(20_000) } })).toMatchObject({
      status: 431,
    });
    expect(site.connections).toBe(0);
  });

  it("logs the first hosts and the number of requests that it left out", async () => {
    await using proxy = await startProxy({ limits: { maxLogEntries: 2 } });
    for (const host of ["a.test", "b.test", "c.test", "a.test", "d.test"]) await ask(proxy, `http://${host}/`);
    const { entries, omitted } = proxy.log();
    expect(entries.map(({ host, requests }) => [host, requests])).toEqual([
      ["a.test", 2],
      ["b.test", 1],
    ]);
    expect(omitted).toBe(2);
  });
});

/** An agent that counts its connections to the proxy. */
class DisposableAgent extends Agent implements Disposable {
  opened = 0;

  constructor() {
    super({ keepAlive: true, maxSockets: 1 });
  }

  override createConnection(...given: Parameters<Agent["createConnection"]>) {
    this.opened += 1;
    return super.createConnection(...given);
  }

  [Symbol.dispose]() {
    this.destroy();
  }
}

async function fetchStream(proxy: EgressProxy, auth: string): Promise<Socket> {
  const head = `GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\nProxy-Authorization: ${auth}\r\n\r\n`;
  const socket = await openRaw(proxy, head);
  await once(socket, "readable");
  return socket;
}

/** A socket that never connects, because it was never told to. */
function startDeaf() {
  const pending: Socket[] = [];
  const world = createWorld({ "shop.test": [SHOP] }, {});
  const dial: typeof world.dial = () => {
    const socket = new Socket();
    Object.defineProperty(socket, "connecting", { value: true });
    pending.push(socket);
    return socket;
  };
  return {
    world: { ...world, dial },
    async [Symbol.asyncDispose]() {
      for (const socket of pending) socket.destroy();
    },
  };
}
