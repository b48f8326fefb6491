import { once } from "node:events";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { EgressProxy } from "../../../src/browser/egress/egress-proxy.ts";
import { credentialsOf, openRaw, openTunnel } from "../../_harness/egress-client.ts";
import { closed, startHost } from "../../_harness/egress-host.ts";
import { createWorld, startProxy } from "../../_harness/egress-world.ts";

const SHOP = "93.184.216.34";

function proxyTo({ port }: { port: number }, limits = {}): Promise<EgressProxy> {
  const world = createWorld({ "shop.test": [SHOP] }, { [`${SHOP}:443`]: port });
  return startProxy({ ...world, allowedHosts: ["shop.test"], limits });
}

describe("a tunnel", () => {
  it("forwards bytes both ways, including those sent before it was open", async () => {
    await using host = await startHost((socket) => socket.pipe(socket));
    await using proxy = await proxyTo(host);
    const { head, socket } = await openTunnel(proxy, "shop.test:443", "early ");
    expect(head).toBe("HTTP/1.1 200 Connection established");
    socket.end("late");
    expect(await text(socket)).toBe("early late");
  });

  it("forwards large amounts both ways at once and counts them", async () => {
    const large = Buffer.alloc(16 * 1024 * 1024, "abc");
    await using host = await startHost((socket) => socket.pipe(socket));
    await using proxy = await proxyTo(host);
    const { socket } = await openTunnel(proxy, "shop.test:443");
    socket.end(large);
    expect((await buffer(socket)).equals(large)).toBe(true);
    expect(proxy.log().entries).toMatchObject([
      { host: "shop.test", port: 443, requests: 1, bytesSent: large.length, bytesReceived: large.length },
    ]);
  });

  it("counts bytes while it is open", async () => {
    await using host = await startHost((socket) => socket.pipe(socket));
    await using proxy = await proxyTo(host);
    const { socket } = await openTunnel(proxy, "shop.test:443");
    socket.write("hello");
    await once(socket, "readable");
    expect(proxy.log().entries).toMatchObject([{ bytesSent: 5, bytesReceived: 5 }]);
  });

  it("supports half-closed connections on either side", async () => {
    await using host = await startHost((socket) => {
      socket.end("goodbye");
      text(socket).then(
        (heard) => socket.emit("heard", heard),
        () => {},
      );
    });
    await using proxy = await proxyTo(host);
    const { socket } = await openTunnel(proxy, "shop.test:443");
    expect(await text(socket)).toBe("goodbye");
    const [accepted] = host.sockets;
    const heard = once(accepted ?? socket, "heard");
    socket.end("one more thing");
    expect(await heard).toEqual(["one more thing"]);
  });

  it("applies backpressure when the other side does not read", async () => {
    const { promise: begin, resolve } = Promise.withResolvers<void>();
    await using host = await startHost(async (socket) => {
      await begin;
      socket.resume().on("end", () => socket.end());
    });
    await using proxy = await proxyTo(host);
    const { socket } = await openTunnel(proxy, "shop.test:443");
    const chunk = Buffer.alloc(1024 * 1024);
    // Far more than all the system's buffers in between.
    const total = 48 * chunk.length;
    for (let index = 0; index < 48; index++) socket.write(chunk);
    await expect.poll(() => stopsGrowing(proxy)).toBe(true);
    expect(proxy.log().entries[0]?.bytesSent).toBeLessThan(total);
    resolve();
    socket.end();
    await closed(socket);
    expect(proxy.log().entries[0]?.bytesSent).toBe(total);
  });

  it("is reset when the host resets", async () => {
    await using host = await startHost((socket) => socket.once("data", () => socket.resetAndDestroy()));
    await using proxy = await proxyTo(host);
    const { socket } = await openTunnel(proxy, "shop.test:443");
    const error = once(socket, "error").catch((caught) => [caught]);
    socket.resume().write("x");
    expect(await error).toMatchObject([{ code: "ECONNRESET" }]);
  });

  it("is closed at the host when the client disconnects", async () => {
    await using host = await startHost(() => {});
    await using proxy = await proxyTo(host);
    const { socket } = await openTunnel(proxy, "shop.test:443");
    const [accepted] = host.sockets;
    socket.resetAndDestroy();
    await closed(accepted ?? socket);
  });

  it("is closed when it is idle for too long", async () => {
    await using host = await startHost((socket) => socket.resume());
    await using proxy = await proxyTo(host, { idleTimeoutMs: 50 });
    const { socket } = await openTunnel(proxy, "shop.test:443");
    await once(socket.resume(), "end");
    await expect
      .poll(() => host.sockets.every(({ readableEnded, destroyed }) => readableEnded || destroyed))
      .toBe(true);
  });

  it("returns 502 when the host refuses the connection", async () => {
    const host = await startHost(() => {});
    await host[Symbol.asyncDispose]();
    await using proxy = await proxyTo(host);
    const { status, head } = await openTunnel(proxy, "shop.test:443");
    expect(status).toBe(502);
    expect(head).toContain("Proxy-Status: errand; error=connection_refused");
    expect(proxy.log().entries).toMatchObject([{ requests: 1, failures: 1 }]);
  });

  it("is refused beyond the limit, and accepted again when another has ended", async () => {
    await using host = await startHost((socket) => socket.pipe(socket));
    await using proxy = await proxyTo(host, { maxConnections: 2 });
    const first = await openTunnel(proxy, "shop.test:443");
    const second = await openTunnel(proxy, "shop.test:443");
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await openTunnel(proxy, "shop.test:443")).toMatchObject({ status: 503 });
    first.socket.resume().end();
    await expect.poll(async () => (await openTunnel(proxy, "shop.test:443")).status).toBe(200);
  });

  it("dials nothing when the client disconnects before the name is resolved", async () => {
    const world = createWorld({ "shop.test": [SHOP] }, {});
    const { promise: lookedUp, resolve: answer } = Promise.withResolvers<string[]>();
    const resolve = () => lookedUp;
    await using proxy = await startProxy({ ...world, resolve, allowedHosts: ["shop.test"] });
    const auth = `Proxy-Authorization: ${credentialsOf(proxy)}`;
    const socket = await openRaw(proxy, `CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test\r\n${auth}\r\n\r\n`);
    socket.resetAndDestroy();
    // A later exchange on another connection: by then the proxy has seen the reset.
    expect((await openTunnel(proxy, "evil.test:443")).status).toBe(403);
    answer([SHOP]);
    expect((await openTunnel(proxy, "evil.test:443")).status).toBe(403);
    expect(world.dialled).toEqual([]);
  });
});

let lastBytes = -1;

/** True once two checks in a row see the same count. */
function stopsGrowing(proxy: EgressProxy): boolean {
  const bytes = proxy.log().entries[0]?.bytesSent ?? 0;
  const isStill = bytes > 0 && bytes === lastBytes;
  lastBytes = bytes;
  return isStill;
}
