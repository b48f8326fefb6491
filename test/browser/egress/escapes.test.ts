import { createSocket } from "node:dgram";
import { once } from "node:events";
import { beforeAll, describe, expect, it } from "vitest";
import type { EgressEntry } from "../../../src/browser/egress/egress-log.ts";
import { startConfinedBrowser } from "../../_harness/egress-browser.ts";
import { MAIN_ROUTES } from "../../_harness/egress-routes.ts";
import { type EgressStage, openEgressStage } from "../../_harness/egress-stage.ts";
import { startProxy, startSite } from "../../_harness/egress-world.ts";

let stage: EgressStage;

beforeAll(async () => {
  stage = await openEgressStage();
  return () => stage[Symbol.asyncDispose]();
});

describe("a page of an allowed host", () => {
  // every-route.ci.test.ts covers the others.
  it.each(MAIN_ROUTES)("reaches an allowed host by $name, and no other", (route) => stage.expectConfined(route));

  it("reaches nothing through Playwright's own requests, which have no credentials", async () => {
    const { home, forbidden, homeUrl } = stage;
    await using run = await stage.startRun();
    const before = forbidden.connections;
    for (const to of ["http://evil.test/", `http://127.0.0.1:${forbidden.port}/`, `${homeUrl}/by-playwright`]) {
      const response = await run.context.request.get(to).catch(() => null);
      expect(response?.status() ?? 407).toBe(407);
    }
    await stage.visitHome(run);
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

describe("a loopback address", () => {
  it("is refused in every notation, even though the run allows any public host", async () => {
    const { forbidden, homeUrl, world, proxies, browser } = stage;
    const refused: EgressEntry[] = [];
    const before = forbidden.connections;
    // One rule per host, so that the address is refused and not the name or the port.
    const rules = spellings(forbidden.port).map((url) => new URL(url).host.replace(/\.(?=:)/, ""));
    const privateHosts = [new URL(homeUrl).host];
    const proxy = await startProxy({
      ...world,
      allowedHosts: [...rules, ...privateHosts],
      privateHosts,
      onRefused: (entry) => refused.push(entry),
    });
    proxies.push(proxy);
    await using context = await browser.openContext(proxy);
    const start = await context.newPage();
    await start.goto(homeUrl);
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

  it("of WebRTC are never sent, no relay is contacted over TCP, and the page learns no address", async () => {
    using server = await startDatagramServer();
    await using run = await stage.startRun();
    const page = await run.context.newPage();
    await page.goto(stage.homeUrl);
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
    const proxy = await startProxy({ ...stage.world, allowedHosts: [here], privateHosts: [here] });
    stage.proxies.push(proxy);
    await using context = await stage.browser.openContext(proxy);
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
    const here = new URL(stage.homeUrl).host;
    await using proxy = await startProxy({ allowedHosts: [here], privateHosts: [here] });
    await using context = await loose.openContext(proxy);
    const page = await context.newPage();
    await page.goto(stage.homeUrl);
    void page.evaluate(GATHER(server.port)).catch(() => {});
    await expect.poll(server.count, { timeout: 100_000 }).toBeGreaterThan(0);
  });
});

describe("according to the browser's network log", () => {
  it("it connected only to the proxies, sent no datagrams and resolved no names", async () => {
    await stage.expectOnlyProxiesConnected(MAIN_ROUTES.length);
  });
});
