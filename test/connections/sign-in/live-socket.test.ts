import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  beginAttempt,
  type LiveSocket,
  type OpenAttempt,
  openSocket,
  type SocketOptions,
  startLiveService,
} from "../../_harness/live-sign-in.ts";
import { newVisitor, type Visitor } from "../../_harness/oauth-flow.ts";
import { sendRaw } from "../../_harness/raw-http.ts";
import type { TestService } from "../../_harness/service.ts";

// These tests send no hello, so no browser is opened.
const SITE = "https://shop.example/sign-in";
const MOVE = { type: "pointer", kind: "move", x: 1, y: 1, button: "none", buttons: 0, clicks: 0, modifiers: 0 };
const HANDSHAKE = {
  connection: "upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const CANARY = "canary-typed-in-secret";

describe("the socket of a live sign-in", () => {
  let service: TestService;
  let visitor: Visitor;
  let attempt: OpenAttempt;
  let ticket: string;
  const tickets: string[] = [];

  beforeAll(async () => {
    service = await startLiveService();
    visitor = await newVisitor(service);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    attempt = await beginAttempt(service, SITE, visitor);
    ticket = await attempt.load();
    tickets.push(ticket);
  });
  afterEach(async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  });

  async function open(options: SocketOptions = {}): Promise<LiveSocket> {
    const { status, socket } = await openSocket(service, attempt, { ticket, ...options });
    if (socket === null) throw new Error(`the socket was refused with ${status}`);
    tickets.push((await socket.receive("welcome")).ticket);
    return socket;
  }

  async function refusal(options: SocketOptions): Promise<number> {
    const { status, socket } = await openSocket(service, attempt, { ticket, ...options });
    expect(socket).toBeNull();
    return status;
  }

  it("opens for the user's own page and reports the phase of the sign-in", async () => {
    const socket = await open();
    expect(await socket.receive("phase")).toMatchObject({ phase: "opening" });
    await socket.close();
  });

  describe("is refused without using up the ticket", () => {
    it.each<[string, number, () => SocketOptions | Promise<SocketOptions>]>([
      ["without a cookie", 401, () => ({ cookies: new Map() })],
      ["with the cookie of somebody else", 404, async () => ({ cookies: (await newVisitor(service)).cookies })],
      ["from another origin", 400, () => ({ origin: "https://evil.example" })],
      ["from another port of the same host", 400, () => ({ origin: "http://127.0.0.1:9" })],
      ["from the same host with another scheme", 400, () => ({ origin: service.url.replace("http:", "https:") })],
      ["from an origin that hides", 400, () => ({ origin: "null" })],
      ["without an origin", 400, () => ({ origin: null })],
      ["with a made-up ticket", 404, () => ({ ticket: `${ticket.slice(0, -1)}${ticket.endsWith("x") ? "y" : "x"}` })],
      ["without a ticket", 404, () => ({ ticket: [] })],
      ["with the ticket twice", 404, () => ({ ticket: [ticket, ticket] })],
      [
        "with the ticket of another sign-in of the same person",
        404,
        async () => ({ ticket: await (await beginAttempt(service, SITE, visitor)).load() }),
      ],
    ])("%s", async (_what, status, options) => {
      expect(await refusal(await options())).toBe(status);
      await (await open()).close();
    });

    it("without a handshake, or with a broken one", async () => {
      const address = `${attempt.path}/live?ticket=${ticket}`;
      expect((await visitor.get(address)).status).toBe(400);
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      for (const fields of [
        { "sec-websocket-key": "" },
        { "sec-websocket-key": "short" },
        { "sec-websocket-version": "7" },
      ]) {
        const headers = Object.entries({ ...HANDSHAKE, origin: service.url, cookie, ...fields });
        expect((await sendRaw(service.url, { target: address, headers })).status).toBe(400);
      }
      await (await open()).close();
    });
  });

  it("opens only once per ticket, even for simultaneous attempts", async () => {
    const both = await Promise.all([1, 2].map(() => openSocket(service, attempt, { ticket })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([101, 404]);
    expect(await refusal({})).toBe(404);
  });

  it("refuses the ticket of a page that has been reloaded since", async () => {
    await attempt.load();
    expect(await refusal({})).toBe(404);
  });

  describe("closes on an invalid message, and reopens with the ticket from its welcome:", () => {
    const input = (fields: object) => JSON.stringify({ type: "input", input: fields });

    it.each<[string, number, string | Buffer]>([
      ["text that is not JSON", 1008, `{"type": ${CANARY}`],
      ["an empty message", 1008, ""],
      ["JSON that is not an object", 1008, "[[[]]]"],
      ["an unknown type", 1008, '{"type":"eval"}'],
      ["an unknown field", 1008, JSON.stringify({ type: "confirm", force: CANARY })],
      ["an unknown field in the input", 1008, input({ ...MOVE, pressure: 1 })],
      ["a number as text", 1008, input({ ...MOVE, x: "1" })],
      ["a position that is too far away", 1008, input({ ...MOVE, x: 1e9 })],
      [
        "a window size that is too large",
        1008,
        JSON.stringify({ type: "hello", width: 9_000, height: 800, isTouch: false }),
      ],
      ["text that is too long", 1008, input({ type: "text", text: "x".repeat(1_001) })],
      ["a binary message", 1008, Buffer.from(JSON.stringify({ type: "confirm" }))],
      ["more than 64 KiB", 1009, input({ type: "paste", text: "x".repeat(65 * 1024) })],
    ])("%s", async (_what, code, data) => {
      const socket = await open();
      socket.sendRaw(data);
      // Messages after the invalid one are ignored.
      socket.send({ type: "cancel" });
      expect(await socket.closed).toBe(code);
      ticket = (await socket.receive("welcome")).ticket;
      const again = await open();
      expect(await again.receive("phase")).toMatchObject({ phase: "opening" });
      await again.close();
    });
  });

  it("accepts the rate of the fastest mouse, and closes on a flood", async () => {
    const socket = await open();
    for (let sent = 0; sent < 1_000; sent += 1) socket.send({ type: "input", input: MOVE });
    socket.send({ type: "input", input: { type: "text", text: CANARY } });
    socket.send({ type: "cancel" });
    expect(await socket.receive("over")).toMatchObject({ type: "over" });

    attempt = await beginAttempt(service, SITE, visitor);
    ticket = await attempt.load();
    const flood = await open();
    for (let sent = 0; sent < 50_000; sent += 1) flood.send({ type: "input", input: MOVE });
    expect(await flood.closed).toBe(1008);
  });

  it("drops resizes that come too often, and closes when they don't stop", async () => {
    const socket = await open();
    const resize = { type: "input", input: { type: "resize", width: 800, height: 600 } };
    for (let sent = 0; sent < 200; sent += 1) socket.send(resize);
    socket.send({ type: "cancel" });
    for (let sent = 0; sent < 2_000; sent += 1) socket.send(resize);
    expect(await socket.closed).toBe(1008);
    expect(socket.messages.map(({ type }) => type)).not.toContain("over");
  });

  it("counts long messages for more than short ones", async () => {
    const socket = await open();
    const long = { type: "input", input: { type: "paste", text: "€".repeat(10_000) } };
    for (let sent = 0; sent < 1_000; sent += 1) socket.send(long);
    expect(await socket.closed).toBe(1008);
  });

  it("has one viewer: the second replaces the first, whose messages are then ignored", async () => {
    const first = await open();
    ticket = await attempt.load();
    const second = await open();
    first.send({ type: "cancel" });
    expect(await first.closed).toBe(4001);
    await attempt.load();
    expect(second.messages.map(({ type }) => type)).not.toContain("over");
    await second.close();
  });

  it("reopens after a dropped connection with the ticket from its welcome, but not an older one", async () => {
    const socket = await open();
    socket.drop();
    expect(await refusal({})).toBe(404);
    ticket = (await socket.receive("welcome")).ticket;
    const again = await open();
    expect(await again.receive("phase")).toMatchObject({ phase: "opening" });
    again.send({ type: "cancel" });
    const { to } = await again.receive("over");
    expect(new URL(to).searchParams.get("error")).toBe("access_denied");
    expect(await again.closed).toBe(1000);
  });

  it("closes when the sign-in is canceled on the page, and neither opens again", async () => {
    const socket = await open();
    const page = await visitor.get(attempt.path);
    const action = `${attempt.path}/cancel`;
    const { status, location } = await visitor.submit(page.form(action), {});
    expect([status, location?.searchParams.get("error")]).toEqual([303, "access_denied"]);
    expect(await socket.receive("over")).toMatchObject({ to: location?.href });
    expect(await socket.closed).toBe(1000);
    const again = await visitor.get(attempt.path);
    expect(again.status).toBe(404);
    expect(again.text).toContain("This sign-in has ended or was started by someone else.");
  });

  it("is the only path that upgrades: others ignore the handshake", async () => {
    const headers = Object.entries(HANDSHAKE);
    for (const [method, target, status] of [
      ["GET", "/healthz", 200],
      ["GET", "/docs?code=canary", 200],
      ["GET", "/nothing", 404],
      ["POST", `${attempt.path}/live`, 405],
      ["GET", attempt.path, 303],
    ] as const) {
      expect((await sendRaw(service.url, { method, target, headers })).status, target).toBe(status);
    }
  });

  it("is logged and counted by route, not by sign-in", async () => {
    const before = service.log.length;
    await (await open()).close();
    expect(await refusal({})).toBe(404);
    await expect
      .poll(() => service.log.slice(before).map((line) => [JSON.parse(line).route, JSON.parse(line).status]))
      .toEqual([
        ["/connect/:id/live", 101],
        ["/connect/:id/live", 404],
      ]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('route="/connect/:id/live"');
    expect(metrics + service.log.join("\n")).not.toContain(attempt.path);
  });

  it("leaves neither tickets nor typed text in the log", () => {
    const log = service.log.join("\n");
    expect(tickets.length).toBeGreaterThan(20);
    for (const secret of [...tickets, CANARY]) expect(log).not.toContain(secret);
  });

  it("closes when the service stops", async () => {
    const socket = await open();
    service.service.beginStopping();
    expect(await socket.closed).toBe(1001);
  });
});
