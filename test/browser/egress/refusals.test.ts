import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EgressEntry } from "../../../src/browser/egress/egress-log.ts";
import type { EgressProxy } from "../../../src/browser/egress/egress-proxy.ts";
import { ask, credentialsOf, openRaw, openTunnel } from "../../_harness/egress-client.ts";
import { createWorld, startProxy, startSite, type TestSite, type World } from "../../_harness/egress-world.ts";
import { parseAnswer, readToEnd } from "../../_harness/raw-http.ts";

const SHOP = "93.184.216.34";
const EVIL = "93.184.216.66";

describe("the proxy refuses", () => {
  let shop: TestSite;
  let forbidden: TestSite;
  let world: World;
  let proxy: EgressProxy;
  const refused: EgressEntry[] = [];

  beforeAll(async () => {
    shop = await startSite();
    forbidden = await startSite();
    world = createWorld(
      {
        "shop.test": [SHOP],
        "evil.test": [EVIL],
        "inside.test": ["127.0.0.1"],
        "mixed.test": [SHOP, "127.0.0.1"],
        "mapped.test": ["::ffff:127.0.0.1"],
        "metadata.test": ["169.254.169.254"],
        "zone.test": ["fe80::1%eth0"],
        "garbage.test": ["127.1"],
        "nothing.test": [],
        "deep.shop.test": [SHOP],
      },
      { [`${SHOP}:80`]: shop.port, [`${EVIL}:80`]: forbidden.port, [`${EVIL}:443`]: forbidden.port },
    );
    const { port } = forbidden;
    const locals = ["127.0.0.1", "127.0.0.2", "0.0.0.0", "[::1]", "[::]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]"];
    proxy = await startProxy({
      ...world,
      allowedHosts: [
        ...["shop.test", "inside.test", "mixed.test", "mapped.test", "metadata.test", "zone.test", "garbage.test"],
        ...["nothing.test", "gone.test", "169.254.169.254", `inside.test:${port}`],
        ...[...locals, "localhost", "*.localhost"].map((host) => `${host}:${port}`),
      ],
      onRefused: (entry) => refused.push(entry),
    });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await forbidden[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
  });

  /** Requests a host in both ways and returns the two responses. */
  async function askBothWays(host: string, port: number): Promise<{ status: number; body: string }[]> {
    const plain = await sendRaw(`GET http://${host}:${port}/ HTTP/1.1`);
    const tunnel = await sendRaw(`CONNECT ${host}:${port} HTTP/1.1`);
    return [plain, tunnel];
  }

  async function sendRaw(requestLine: string) {
    const lines = [requestLine, "Host: x", `Proxy-Authorization: ${credentialsOf(proxy)}`, "Connection: close"];
    return parseAnswer(await readToEnd(await openRaw(proxy, `${lines.join("\r\n")}\r\n\r\n`)));
  }

  const LOCAL_SPELLINGS = [
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.1",
    "127.0.0.1.",
    "127.0.0.2",
    "0",
    "0.0.0.0",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "anything.localhost",
    "inside.test",
    "INSIDE.test.",
  ];

  it.each(LOCAL_SPELLINGS)("%s, because it is this machine, even though the run allows it", async (host) => {
    for (const answer of await askBothWays(host, forbidden.port)) {
      expect(answer).toMatchObject({
        status: 403,
        body: expect.stringMatching(/^Refused \(private_address\): \S+: .+\.\n$/),
      });
    }
    expect(forbidden.connections).toBe(0);
  });

  it.each([
    ["mixed.test", "one public and one private address"],
    ["mapped.test", "IPv4 inside IPv6"],
    ["metadata.test", "cloud metadata"],
    ["169.254.169.254", "cloud metadata"],
    ["zone.test", "an address with a zone"],
    ["garbage.test", "a DNS result that is not an address"],
  ])("%s: %s", async (host) => {
    for (const answer of await askBothWays(host, 80)) {
      expect(answer).toMatchObject({ status: 403, body: expect.stringContaining("private_address") });
    }
    expect(world.dialled).toEqual([]);
  });

  it.each([
    ["evil.test", 80, "host_not_allowed"],
    ["evil.test", 443, "host_not_allowed"],
    ["deep.shop.test", 80, "host_not_allowed"],
    ["xn--sop-mua.test", 80, "host_not_allowed"],
    ["8.8.8.8", 443, "host_not_allowed"],
    ["shop.test", 8080, "port_not_allowed"],
    ["shop.test", 22, "port_not_allowed"],
    ["127.0.0.1", 1, "port_not_allowed"],
  ])("%s:%i: %s, without a DNS lookup", async (host, port, reason) => {
    const before = world.lookups.length;
    for (const answer of await askBothWays(host, port)) {
      expect(answer).toMatchObject({
        status: 403,
        body: expect.stringContaining(`Refused (${reason}): ${host}:${port}:`),
      });
    }
    expect(world.lookups.length).toBe(before);
    expect(forbidden.connections).toBe(0);
    expect(refused.slice(-2)).toMatchObject([
      { host, port, verdict: reason, requests: 1 },
      { host, port, verdict: reason, requests: 2 },
    ]);
  });

  it.each([
    ["GET / HTTP/1.1", 400],
    ["GET https://shop.test/ HTTP/1.1", 400],
    ["GET ftp://shop.test/ HTTP/1.1", 400],
    ["GET http:///etc HTTP/1.1", 403],
    ["GET http://shop.test@evil.test/ HTTP/1.1", 403],
    ["GET http://shop.test%2f@evil.test/ HTTP/1.1", 403],
    ["GET http://evil.test#@shop.test/ HTTP/1.1", 400],
    ["GET http://evil.test?@shop.test/ HTTP/1.1", 403],
    ["GET http://256.256.256.256/ HTTP/1.1", 400],
    ["GET http://a..b/ HTTP/1.1", 400],
    ["OPTIONS * HTTP/1.1", 400],
    ["CONNECT shop.test HTTP/1.1", 400],
    ["CONNECT shop.test:0 HTTP/1.1", 400],
    ["CONNECT shop.test@evil.test:443 HTTP/1.1", 400],
    ["CONNECT evil.test/shop.test:443 HTTP/1.1", 400],
    ["CONNECT shop.test:443:80 HTTP/1.1", 400],
    ["PRI * HTTP/2.0", 400],
  ])("%s with %i", async (requestLine, status) => {
    expect(await sendRaw(requestLine)).toMatchObject({ status });
    expect(forbidden.connections).toBe(0);
  });

  it("a client without this run's credentials, before checking anything else", async () => {
    const before = { lookups: world.lookups.length, connections: shop.connections };
    for (const line of ["GET http://shop.test/ HTTP/1.1", "CONNECT shop.test:80 HTTP/1.1", "GET / HTTP/1.1"]) {
      for (const header of ["X: y", "Proxy-Authorization: Basic ZXJyYW5kOg==", "Proxy-Authorization: Bearer x"]) {
        const socket = await openRaw(proxy, `${line}\r\nHost: shop.test\r\nConnection: close\r\n${header}\r\n\r\n`);
        const answer = parseAnswer(await readToEnd(socket));
        expect(answer.status).toBe(407);
        expect(answer.headers.get("proxy-authenticate")).toBe('Basic realm="errand"');
      }
    }
    expect({ lookups: world.lookups.length, connections: shop.connections }).toEqual(before);
  });

  it("the credentials of another run", async () => {
    await using other = await startProxy({ ...world, allowedHosts: ["shop.test"] });
    const theirs = { ...proxy, url: other.url };
    expect(await ask(theirs, "http://shop.test/")).toMatchObject({ status: 407 });
    expect(await openTunnel(theirs, "shop.test:80")).toMatchObject({ status: 407 });
  });

  it("nothing else: the allowed host still responds afterwards", async () => {
    expect(await ask(proxy, "http://shop.test/")).toMatchObject({
      status: 200,
      body: expect.stringContaining("hello"),
    });
    expect(forbidden.connections).toBe(0);
  });
});

describe("a host at a private address", () => {
  it("is reached when the setting and the run both list it, and only on that port", async () => {
    await using site = await startSite();
    await using neighbour = await startSite();
    const here = `127.0.0.1:${site.port}`;
    const there = `127.0.0.1:${neighbour.port}`;
    await using proxy = await startProxy({ allowedHosts: [here, there], privateHosts: [here] });
    expect(await ask(proxy, `http://${here}/`)).toMatchObject({ status: 200 });
    expect(await ask(proxy, `http://2130706433:${site.port}/`)).toMatchObject({ status: 200 });
    expect(await ask(proxy, `http://${there}/`)).toMatchObject({ status: 403 });
    expect(await ask(proxy, `http://localhost:${site.port}/`)).toMatchObject({ status: 403 });
    expect(neighbour.connections).toBe(0);
  });

  it("is not reached with the setting alone", async () => {
    await using site = await startSite();
    const here = `127.0.0.1:${site.port}`;
    await using proxy = await startProxy({ allowedHosts: ["shop.test"], privateHosts: [here] });
    expect(await ask(proxy, `http://${here}/`)).toMatchObject({ status: 403 });
    expect(site.connections).toBe(0);
  });

  it("is reached by a listed name, including localhost, which is not looked up", async () => {
    await using site = await startSite();
    const hosts = [`inside.test:${site.port}`, `localhost:${site.port}`];
    const world = createWorld({ "inside.test": ["127.0.0.1"] }, {});
    await using proxy = await startProxy({ ...world, allowedHosts: hosts, privateHosts: hosts });
    for (const host of hosts) expect(await ask(proxy, `http://${host}/`)).toMatchObject({ status: 200 });
    expect(world.lookups).toEqual(["inside.test"]);
  });

  it.each(["169.254.169.254", "fd00:ec2::254", "169.254.1.1", "fe80::1", "0.0.0.0", "224.0.0.1", "::ffff:127.0.0.1"])(
    "is not reached by a listed name that resolves to %s",
    async (address) => {
      const world = createWorld({ "inside.test": [address] }, {});
      await using proxy = await startProxy({ ...world, allowedHosts: ["inside.test"], privateHosts: ["inside.test"] });
      expect(await ask(proxy, "http://inside.test/")).toMatchObject({ status: 403 });
      expect(world.dialled).toEqual([]);
    },
  );
});

describe("a run that may visit any public host", () => {
  it("reaches names and addresses on web ports, listed private hosts, and nothing else", async () => {
    await using site = await startSite();
    await using inner = await startSite();
    const world = createWorld(
      { "shop.test": [SHOP], "inside.test": ["127.0.0.1"] },
      { [`${SHOP}:80`]: site.port, [`${SHOP}:443`]: site.port, [`${SHOP}:25`]: site.port },
    );
    const privateHosts = [`127.0.0.1:${inner.port}`];
    await using proxy = await startProxy({ ...world, allowedHosts: "public", privateHosts });
    const statusOf = async (url: string) => (await ask(proxy, url)).status;
    expect(await statusOf("http://shop.test/")).toBe(200);
    expect(await statusOf("http://shop.test:443/")).toBe(200);
    expect(await statusOf(`http://${SHOP}/`)).toBe(200);
    expect(await statusOf(`http://127.0.0.1:${inner.port}/`)).toBe(200);
    expect(await statusOf("http://shop.test:25/")).toBe(403);
    expect(await statusOf("http://inside.test/")).toBe(403);
    expect(await statusOf("http://localhost/")).toBe(403);
    expect(await statusOf("http://10.0.0.1/")).toBe(403);
    expect(await statusOf(`http://127.0.0.1:${site.port}/`)).toBe(403);
  });
});

describe("DNS rebinding", () => {
  it("resolves a name once and connects to the address that was checked", async () => {
    await using shop = await startSite();
    await using forbidden = await startSite();
    const world = createWorld({}, { [`${SHOP}:80`]: shop.port, "127.0.0.1:80": forbidden.port });
    let lookups = 0;
    const resolve = async () => (lookups++ === 0 ? [SHOP] : ["127.0.0.1"]);
    await using proxy = await startProxy({ ...world, resolve, allowedHosts: ["rebind.test"] });
    for (const path of ["/1", "/2", "/3"]) {
      expect(await ask(proxy, `http://rebind.test${path}`)).toMatchObject({ status: 200 });
      const tunnel = await openTunnel(proxy, "rebind.test:80");
      expect(tunnel.status).toBe(200);
      tunnel.socket.destroy();
    }
    expect(lookups).toBe(1);
    expect(new Set(world.dialled)).toEqual(new Set([`${SHOP}:80`]));
    expect(forbidden.connections).toBe(0);
  });

  it("checks the address again when the name is resolved again", async () => {
    await using shop = await startSite();
    await using forbidden = await startSite();
    const world = createWorld({}, { [`${SHOP}:80`]: shop.port, "127.0.0.1:80": forbidden.port });
    const answers = [[SHOP], ["127.0.0.1"]];
    let now = new Date();
    await using proxy = await startProxy({
      ...world,
      resolve: async () => answers.shift() ?? [],
      clock: { now: () => now },
      allowedHosts: ["rebind.test"],
    });
    expect(await ask(proxy, "http://rebind.test/")).toMatchObject({ status: 200 });
    now = new Date(now.getTime() + 3_600_000);
    expect(await ask(proxy, "http://rebind.test/")).toMatchObject({ status: 403 });
    expect(answers).toEqual([]);
    expect(forbidden.connections).toBe(0);
  });
});
