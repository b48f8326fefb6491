import { Buffer } from "node:buffer";
import { text } from "node:stream/consumers";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EgressProxy } from "../../../src/browser/egress/egress-proxy.ts";
import { type ConfinedBrowser, startConfinedBrowser } from "../../_harness/egress-browser.ts";
import { createWorld, startProxy, startSite, type TestSite, type World } from "../../_harness/egress-world.ts";

const SHOP = "93.184.216.34";
const CDN = "93.184.216.35";
const LARGE = 12 * 1024 * 1024;

type Listener = NonNullable<Parameters<typeof startSite>[0]>;

const PAGES: Record<string, Listener> = {
  "/large": (_request, response) => response.end(Buffer.alloc(LARGE, "x")),
  "/length": (_request, response, { body }) => response.end(String(body.length)),
  "/nothing": (_request, response) => response.writeHead(204).end(),
  "/cached": (_request, response) => response.writeHead(200, { "cache-control": "max-age=600" }).end("kept"),
  "/file": (_request, response) => response.writeHead(200, { "content-disposition": "attachment" }).end("a file"),
  "/move": (_request, response) => response.writeHead(307, { location: "https://www.shop.test/moved" }).end(),
  "/events": (_request, response) => {
    response.setHeader("content-type", "text/event-stream");
    response.write("data: one\n\n");
    response.write("data: two\n\n");
  },
};

const serve: Listener = (request, response, seen) => {
  const page = PAGES[seen.url];
  if (page !== undefined) return page(request, response, seen);
  response.writeHead(200, { "content-type": "text/html", "set-cookie": "seen=yes" });
  response.end(`<title>shop ${seen.url}</title>`);
};

let browser: ConfinedBrowser;
let shop: TestSite;
let secureShop: TestSite;
let world: World;
let proxy: EgressProxy;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  shop = await startSite(serve, { webSocket: true });
  secureShop = await startSite(serve, { webSocket: true, secure: true });
  world = createWorld(
    { "shop.test": [SHOP], "www.shop.test": [CDN] },
    { [`${SHOP}:80`]: shop.port, [`${SHOP}:443`]: secureShop.port, [`${CDN}:443`]: secureShop.port },
  );
  proxy = await startProxy({ ...world, allowedHosts: ["shop.test", "*.shop.test"] });
  browser = await startConfinedBrowser();
  context = await browser.openContext(proxy);
  page = await context.newPage();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await secureShop[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

describe("a new context", () => {
  it("has authenticated with the proxy, and logs none of the credentials", () => {
    expect(proxy.log()).toEqual({ entries: [], omitted: 0 });
    expect(world.lookups).toEqual([]);
  });

  it("can start with a WebSocket, for which the browser cannot be asked for credentials", async () => {
    await using other = await browser.openContext(proxy);
    const blank = await other.newPage();
    expect(await blank.evaluate(echo("ws://shop.test/"))).toBe("hello");
  });

  it("cannot connect without the credentials", async () => {
    const stranger = { ...proxy, password: "guessed" };
    await expect(browser.openContext(stranger)).rejects.toThrow("could not authenticate at its proxy: status 407.");
  });
});

describe.each(["http", "https"])("an allowed host over %s", (scheme) => {
  const at = (path: string) => `${scheme}://shop.test${path}`;
  const evaluate = (code: string) => page.evaluate(`(async () => { ${code} })()`);

  it("loads, and gets its cookies back", async () => {
    await page.goto(at("/first"));
    expect(await page.title()).toBe("shop /first");
    await page.goto(at("/second"));
    const site = scheme === "http" ? shop : secureShop;
    const seen = site.requests.find(({ url }) => url === "/second");
    expect(seen?.headers).toMatchObject({ host: "shop.test", cookie: "seen=yes" });
    expect(
      Object.keys(seen?.headers ?? {}).filter((name) => /^proxy|^x-forwarded|^via$|^forwarded$/.test(name)),
    ).toEqual([]);
  });

  it("may redirect to another allowed host", async () => {
    await page.goto(at("/move"));
    expect(page.url()).toBe("https://www.shop.test/moved");
    await page.goto(at("/"));
  });

  it("sends and receives large bodies", async () => {
    expect(await evaluate(`return (await (await fetch("/large")).text()).length`)).toBe(LARGE);
    const send = `return await (await fetch("/length", { method: "POST", body: "x".repeat(${LARGE}) })).text()`;
    expect(await evaluate(send)).toBe(String(LARGE));
  });

  it("streams events", async () => {
    const listen = `return await new Promise((resolve) => {
      const heard = [];
      const source = new EventSource("/events");
      source.onmessage = ({ data }) => heard.push(data) === 2 && (source.close(), resolve(heard));
    })`;
    expect(await evaluate(listen)).toEqual(["one", "two"]);
  });

  it("supports WebSocket", async () => {
    expect(await page.evaluate(echo(`${scheme.replace("http", "ws")}://shop.test/`))).toBe("hello");
  });

  it("handles HEAD and an empty 204", async () => {
    const statuses = `return [(await fetch("/nothing")).status, (await fetch("/", { method: "HEAD" })).status]`;
    expect(await evaluate(statuses)).toEqual([204, 200]);
  });

  it("serves downloads", async () => {
    const download = page.waitForEvent("download");
    await page.goto(at("/file")).catch(() => {});
    expect(await text(await (await download).createReadStream())).toBe("a file");
  });
});

describe("the browser's cache", () => {
  it("works: a cacheable resource is requested once", async () => {
    await page.goto("http://shop.test/");
    const read = `fetch("/cached").then((answer) => answer.text())`;
    for (let round = 0; round < 3; round++) expect(await page.evaluate(read)).toBe("kept");
    expect(shop.requests.filter(({ url }) => url === "/cached")).toHaveLength(1);
  });
});

describe("a refused host", () => {
  it("shows the reason instead of a page over http, and no page over https", async () => {
    const other = await context.newPage();
    const response = await other.goto("http://evil.test/");
    expect(response?.status()).toBe(403);
    const reason = "Refused (host_not_allowed): evil.test:80: this host is not on the allow list.\n";
    expect(await response?.text()).toBe(reason);
    const another = await context.newPage();
    await expect(another.goto("https://evil.test/")).rejects.toThrow("ERR_TUNNEL_CONNECTION_FAILED");
  });

  it("cannot impersonate the proxy: its authentication challenge is not passed on", async () => {
    await using sly = await startSite((_request, response) => {
      response.writeHead(407, { "proxy-authenticate": 'Basic realm="errand"' }).end();
    });
    const here = `127.0.0.1:${sly.port}`;
    await using own = await startProxy({ allowedHosts: [here], privateHosts: [here] });
    await using slyContext = await browser.openContext(own);
    const slyPage = await slyContext.newPage();
    expect((await slyPage.goto(`http://${here}/`))?.status()).toBe(502);
    expect(sly.requests.map(({ headers }) => headers["proxy-authorization"])).toEqual([undefined]);
  });
});

describe("DNS rebinding", () => {
  it("connects the browser to the address that was checked, however often it asks", async () => {
    await using inside = await startSite();
    let lookups = 0;
    const rebinding = createWorld({}, { [`${SHOP}:80`]: shop.port, "127.0.0.1:80": inside.port });
    await using own = await startProxy({
      ...rebinding,
      resolve: async () => (lookups++ === 0 ? [SHOP] : ["127.0.0.1"]),
      allowedHosts: ["rebind.test"],
    });
    await using other = await browser.openContext(own);
    const rebound = await other.newPage();
    for (const path of ["/1", "/2", "/3"]) {
      await rebound.goto(`http://rebind.test${path}`);
      expect(await rebound.title()).toBe(`shop ${path}`);
    }
    expect(await rebound.evaluate(echo("ws://rebind.test/"))).toBe("hello");
    expect([lookups, inside.connections]).toEqual([1, 0]);
  });
});

describe("the log of a run", () => {
  it("lists every host once with its verdict, requests and bytes", () => {
    const { entries, omitted } = proxy.log();
    expect(omitted).toBe(0);
    expect(entries.map(({ host, port, verdict }) => `${host}:${port} ${verdict}`)).toEqual([
      "shop.test:80 allowed",
      "www.shop.test:443 allowed",
      "shop.test:443 allowed",
      "evil.test:80 host_not_allowed",
      "evil.test:443 host_not_allowed",
    ]);
    const [plain, , secure, refused] = entries;
    for (const entry of [plain, secure]) {
      expect(entry?.bytesSent).toBeGreaterThan(LARGE);
      expect(entry?.bytesReceived).toBeGreaterThan(LARGE);
    }
    expect(refused).toMatchObject({ bytesSent: 0, bytesReceived: 0 });
  });
});

function echo(url: string): string {
  return `new Promise((resolve) => {
    const socket = new WebSocket(${JSON.stringify(url)});
    socket.onopen = () => socket.send("hello");
    socket.onmessage = ({ data }) => (socket.close(), resolve(data));
    socket.onclose = ({ code }) => resolve(code);
  })`;
}
