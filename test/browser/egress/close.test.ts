import { describe, expect, it } from "vitest";
import { ask, openRaw, openTunnel } from "../../_harness/egress-client.ts";
import { closed, startHost } from "../../_harness/egress-host.ts";
import { createWorld, startProxy, startSite } from "../../_harness/egress-world.ts";

const SHOP = "93.184.216.34";

describe("when the proxy closes", () => {
  it("closes every connection, whatever it was doing, and leaves nothing behind", async () => {
    const { promise: asked, resolve: tell } = Promise.withResolvers<void>();
    await using site = await startSite((request, response) => {
      if (request.url === "/held") tell();
      else response.end("fine");
    });
    await using host = await startHost((socket) => socket.resume());
    const before = sockets();
    const world = createWorld({ "shop.test": [SHOP] }, { [`${SHOP}:80`]: site.port, [`${SHOP}:443`]: host.port });
    const resolve: typeof world.resolve = (name, signal) =>
      name === "slow.test" ? new Promise(() => {}) : world.resolve(name, signal);
    const proxy = await startProxy({ ...world, resolve, allowedHosts: ["shop.test", "slow.test"] });

    const tunnel = await openTunnel(proxy, "shop.test:443");
    await ask(proxy, "http://shop.test/kept");
    const held = ask(proxy, "http://shop.test/held").catch(() => "broken off");
    const slow = ask(proxy, "http://slow.test/").catch(() => "broken off");
    const idle = await openRaw(proxy, "GET http://shop.test/ HTTP/1.1\r\n");
    await asked;
    const ended = [closed(tunnel.socket), closed(idle)];
    await Promise.all([proxy[Symbol.asyncDispose](), proxy[Symbol.asyncDispose]()]);

    expect(await Promise.all([held, slow])).toEqual(["broken off", "broken off"]);
    tunnel.socket.destroy();
    await Promise.all(ended);
    await expect
      .poll(() => host.sockets.every(({ readableEnded, destroyed }) => readableEnded || destroyed))
      .toBe(true);
    for (const socket of host.sockets) socket.destroy();
    await expect.poll(sockets).toEqual(before);
    await expect(ask(proxy, "http://shop.test/")).rejects.toThrow("ECONNREFUSED");
  });
});

/** This file has its own process, so all of them belong to it. */
function sockets(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP"));
}
