import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EgressEntry } from "../src/browser/egress/egress-log.ts";
import type { EgressProxy } from "../src/browser/egress/egress-proxy.ts";
import { type ConfinedBrowser, startConfinedBrowser } from "./_harness/egress-browser.ts";
import { ESCAPE_ROUTES, type EscapeRoute, WORKER_SCRIPT } from "./_harness/egress-routes.ts";
import { createWorld, startProxy, startSite, type TestSite, type World } from "./_harness/egress-world.ts";

const EVIL = "93.184.216.66";
const GOOD = "93.184.216.77";

let browser: ConfinedBrowser;
let home: TestSite;
let forbidden: TestSite;
let allowed: TestSite;
let world: World;
const proxies: EgressProxy[] = [];

beforeAll(async () => {
  home = await startSite((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://home");
    const addresses = searchParams.getAll("to");
    const [to = ""] = addresses;
    if (pathname === "/redirect") response.writeHead(Number(searchParams.get("status")), { location: to }).end();
    else if (pathname === "/worker.js") response.setHeader("content-type", "text/javascript").end(WORKER_SCRIPT);
    else {
      const route = ESCAPE_ROUTES.find(({ name }) => name === searchParams.get("route"));
      response.writeHead(200, { "content-type": "text/html", ...route?.headers?.(to) });
      const body = route === undefined ? "home" : addresses.map((address) => route.html(address)).join("\n");
      response.end(`<!doctype html><title>home</title><body>${body}</body>`);
    }
  });
  const catchAll = () =>
    startSite((_request, response) => void response.setHeader("access-control-allow-origin", "*").end("caught"));
  [forbidden, allowed] = await Promise.all([catchAll(), catchAll()]);
  world = createWorld(
    { "evil.test": [EVIL], "good.test": [GOOD] },
    { [`${EVIL}:80`]: forbidden.port, [`${EVIL}:443`]: forbidden.port, [`${GOOD}:80`]: allowed.port },
  );
  browser = await startConfinedBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  await forbidden[Symbol.asyncDispose]();
  await allowed[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

interface Run extends AsyncDisposable {
  context: BrowserContext;
  refused: EgressEntry[];
}

/** One execution: a proxy and a context of its own. */
async function startRun(): Promise<Run> {
  const here = `127.0.0.1:${home.port}`;
  const refused: EgressEntry[] = [];
  const proxy = await startProxy({
    ...world,
    allowedHosts: [here, "good.test"],
    privateHosts: [here],
    onRefused: (entry) => refused.push(entry),
  });
  proxies.push(proxy);
  const context = await browser.openContext(proxy);
  return { context, refused, [Symbol.asyncDispose]: () => context.close() };
}

/** Loads pages that take this route. Where a page itself leaves, that its loading was cut short is no matter. */
async function take({ context }: Run, { name, isOneOfMany }: EscapeRoute, addresses: string[]): Promise<void> {
  const pages = isOneOfMany === true ? [addresses] : addresses.map((address) => [address]);
  await Promise.all(
    pages.map(async (to) => {
      const page = await context.newPage();
      const query = new URLSearchParams([["route", name], ...to.map((address) => ["to", address])]);
      await page.goto(`${homeUrl()}/page?${query}`, { waitUntil: "commit" });
    }),
  );
}

/** A later request that is allowed: whatever the browser asked before it, has been asked. */
async function visitHome({ context }: Run): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${homeUrl()}/after`);
  expect(await page.title()).toBe("home");
}

const homeUrl = () => `http://127.0.0.1:${home.port}`;

describe("a page of an allowed host", () => {
  it.each(ESCAPE_ROUTES)("reaches an allowed host by $name, and no other", async (route) => {
    await using run = await startRun();
    const before = forbidden.connections;
    const local = `127.0.0.1:${forbidden.port}`;
    await take(run, route, ["http://evil.test/x", `http://${local}/x`, "https://evil.test/x"]);
    if (route.isSilent !== true) {
      const hosts = () => new Set(run.refused.map(({ host, port }) => `${host}:${port}`));
      await expect.poll(hosts, { timeout: 20_000 }).toEqual(new Set(["evil.test:80", local, "evil.test:443"]));
      // Goes the same way, so it is no obstacle on the way that kept the others back.
      const path = `/${route.name.replace(/\W+/g, "-")}`;
      await take(run, route, [`http://good.test${path}`]);
      await expect.poll(() => allowed.requests.map(({ url }) => url), { timeout: 20_000 }).toContain(path);
    } else await visitHome(run);
    expect(forbidden.connections).toBe(before);
    expect(world.lookups).not.toContain("evil.test");
  });

  it("reaches nothing by a request that Playwright makes in its name, which has no credentials", async () => {
    await using run = await startRun();
    const before = forbidden.connections;
    for (const to of ["http://evil.test/", `http://127.0.0.1:${forbidden.port}/`, `${homeUrl()}/by-playwright`]) {
      const answer = await run.context.request.get(to).catch(() => null);
      expect(answer?.status() ?? 407).toBe(407);
    }
    await visitHome(run);
    expect(forbidden.connections).toBe(before);
    expect(home.requests.map(({ url }) => url)).not.toContain("/by-playwright");
  });
});

const spellings = (port: number) => [
  `http://localhost:${port}/`,
  `http://LOCALHOST.:${port}/`,
  `http://sub.localhost:${port}/`,
  `http://2130706433:${port}/`,
  `http://0x7f000001:${port}/`,
  `http://0177.0.0.1:${port}/`,
  `http://127.1:${port}/`,
  `http://127.0.0.1.:${port}/`,
  `http://127.0.0.2:${port}/`,
  `http://0:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://[::ffff:7f00:1]:${port}/`,
  `http://[64:ff9b::7f00:1]:${port}/`,
  `http://①②⑦.⓪.⓪.①:${port}/`,
  `https://127.0.0.1:${port}/`,
  "http://169.254.169.254/latest/meta-data/",
  "http://[fe80::1]/",
];

describe("an address of this machine", () => {
  it("is refused in every spelling, although the list of the run allows any public host", async () => {
    const refused: EgressEntry[] = [];
    const before = forbidden.connections;
    // Rules for each, so that it is the address that is refused and not the name or the port.
    const rules = spellings(forbidden.port).map((url) => new URL(url).host.replace(/\.(?=:)/, ""));
    const privateHosts = [new URL(homeUrl()).host];
    const proxy = await startProxy({
      ...world,
      allowedHosts: [...rules, ...privateHosts],
      privateHosts,
      onRefused: (entry) => refused.push(entry),
    });
    proxies.push(proxy);
    await using context = await browser.openContext(proxy);
    const start = await context.newPage();
    await start.goto(homeUrl());
    for (const url of spellings(forbidden.port)) {
      const seen = refused.length;
      const page = await context.newPage();
      const response = await page.goto(url).catch(() => null);
      expect(response?.status() ?? 403, url).toBe(403);
      expect(refused.slice(seen).map(({ verdict }) => verdict)).toContain("private_address");
      const answer = start.evaluate(
        `fetch(${JSON.stringify(url)}, { mode: "no-cors" }).then((r) => r.status, () => 0)`,
      );
      expect(await answer).toBe(0);
      await page.close();
    }
    expect(forbidden.connections).toBe(before);
  });
});

describe("datagrams", () => {
  const GATHER = (port: number) => `(async () => {
    const urls = ["stun:127.0.0.1:${port}", "turn:127.0.0.1:${port}?transport=udp", "turn:127.0.0.1:${port}?transport=tcp"];
    const peer = new RTCPeerConnection({ iceServers: [{ urls, username: "a", credential: "b" }] });
    const done = new Promise((resolve) => {
      peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && resolve();
    });
    const candidates = [];
    peer.onicecandidate = ({ candidate }) => candidate?.candidate && candidates.push(candidate.candidate);
    peer.createDataChannel("x");
    await peer.setLocalDescription(await peer.createOffer());
    await done;
    return candidates;
  })()`;
  const WEB_TRANSPORT = (port: number) =>
    `new WebTransport("https://127.0.0.1:${port}/").ready.then(() => "open", () => "failed")`;

  async function startDatagramServer() {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    let packets = 0;
    socket.on("message", () => {
      packets += 1;
    });
    return {
      port: socket.address().port,
      count: () => packets,
      [Symbol.dispose]: () => void socket.close(),
    };
  }

  it("of WebRTC are never sent, neither is a relay asked over TCP, and the page learns no address", async () => {
    using server = await startDatagramServer();
    await using run = await startRun();
    const page = await run.context.newPage();
    await page.goto(homeUrl());
    expect(await page.evaluate(GATHER(server.port))).toEqual([]);
    expect(run.refused.map(({ port }) => port)).toEqual([server.port]);
    expect(server.count()).toBe(0);
  });

  it("of WebTransport and HTTP/3 are never sent", async () => {
    using server = await startDatagramServer();
    await using secure = await startSite(
      (_request, response) => {
        response
          .setHeader("alt-svc", `h3=":${server.port}"; ma=3600, h3="127.0.0.1:${server.port}"`)
          .end("<title>secure");
      },
      { secure: true },
    );
    const here = `127.0.0.1:${secure.port}`;
    const proxy = await startProxy({ ...world, allowedHosts: [here], privateHosts: [here] });
    proxies.push(proxy);
    await using context = await browser.openContext(proxy);
    const page = await context.newPage();
    for (let round = 0; round < 3; round++) await page.goto(`https://${here}/${round}`);
    expect(await page.evaluate(WEB_TRANSPORT(server.port))).toBe("failed");
    await page.goto(`https://${here}/after`);
    expect(await page.title()).toBe("secure");
    expect(server.count()).toBe(0);
  });

  it("would be sent by WebRTC without our arguments, so the test above can fail", async () => {
    using server = await startDatagramServer();
    await using loose = await startConfinedBrowser({ without: "webrtc" });
    const here = `127.0.0.1:${home.port}`;
    await using proxy = await startProxy({ allowedHosts: [here], privateHosts: [here] });
    await using context = await loose.openContext(proxy);
    const page = await context.newPage();
    await page.goto(homeUrl());
    void page.evaluate(GATHER(server.port)).catch(() => {});
    await expect.poll(server.count, { timeout: 20_000 }).toBeGreaterThan(0);
  });
});

describe("by the browser's own account", () => {
  it("all it ever connected to were the proxies, and it sent no datagram and resolved no name", async () => {
    const { connections, datagrams, lookups } = await browser.closeAndAccount();
    const known = new Set(proxies.map(({ url }) => new URL(url).host));
    expect(connections.length).toBeGreaterThan(ESCAPE_ROUTES.length);
    expect(connections.filter((address) => !known.has(address))).toEqual([]);
    expect({ datagrams, lookups }).toEqual({ datagrams: [], lookups: [] });
  });
});
