import type { BrowserContext } from "playwright-core";
import { expect } from "vitest";
import type { EgressEntry } from "../../src/browser/egress/egress-log.ts";
import type { EgressProxy } from "../../src/browser/egress/egress-proxy.ts";
import { type ConfinedBrowser, startConfinedBrowser } from "./egress-browser.ts";
import { ESCAPE_ROUTES, type EscapeRoute, WORKER_SCRIPT } from "./egress-routes.ts";
import { createWorld, startProxy, startSite, type TestSite, type World } from "./egress-world.ts";

const EVIL = "93.184.216.66";
const GOOD = "93.184.216.77";

/** A confined browser, a site whose pages try to reach other hosts, and servers that count who reached them. */
export interface EgressStage extends AsyncDisposable {
  readonly browser: ConfinedBrowser;
  readonly homeUrl: string;
  readonly home: TestSite;
  readonly forbidden: TestSite;
  readonly world: World;
  /** Every proxy that the browser was given. */
  readonly proxies: EgressProxy[];
  /** One execution: its own proxy and context. */
  startRun(): Promise<EgressRun>;
  /** A later, allowed request: everything that the browser requested before it has been sent. */
  visitHome(run: EgressRun): Promise<void>;
  /** Takes the route to allowed and to forbidden hosts. */
  expectConfined(route: EscapeRoute): Promise<void>;
  /** Ends the browser. */
  expectOnlyProxiesConnected(minConnections: number): Promise<void>;
}

export interface EgressRun extends AsyncDisposable {
  context: BrowserContext;
  refused: EgressEntry[];
}

export async function openEgressStage(): Promise<EgressStage> {
  await using parts = new AsyncDisposableStack();
  const home = parts.use(await startHome());
  const catchAll = () =>
    startSite((_request, response) => void response.setHeader("access-control-allow-origin", "*").end("caught"));
  const forbidden = parts.use(await catchAll());
  const allowed = parts.use(await catchAll());
  const world = createWorld(
    { "evil.test": [EVIL], "good.test": [GOOD] },
    { [`${EVIL}:80`]: forbidden.port, [`${EVIL}:443`]: forbidden.port, [`${GOOD}:80`]: allowed.port },
  );
  const proxies: EgressProxy[] = [];
  parts.defer(async () => {
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
  });
  const browser = parts.use(await startConfinedBrowser());
  const host = `127.0.0.1:${home.port}`;
  const homeUrl = `http://${host}`;

  async function startRun(): Promise<EgressRun> {
    const refused: EgressEntry[] = [];
    const proxy = await startProxy({
      ...world,
      allowedHosts: [host, "good.test"],
      privateHosts: [host],
      onRefused: (entry) => refused.push(entry),
    });
    proxies.push(proxy);
    const context = await browser.openContext(proxy);
    return { context, refused, [Symbol.asyncDispose]: () => context.close() };
  }

  /** Loads pages that take this route. If a page navigates away, it does not matter that its loading was cut short. */
  async function take({ context }: EgressRun, { name, isOneOfMany }: EscapeRoute, urls: string[]): Promise<void> {
    const pages = isOneOfMany === true ? [urls] : urls.map((url) => [url]);
    await Promise.all(
      pages.map(async (to) => {
        const page = await context.newPage();
        const query = new URLSearchParams([["route", name], ...to.map((url) => ["to", url])]);
        await page.goto(`${homeUrl}/page?${query}`, { waitUntil: "commit" });
      }),
    );
  }

  async function visitHome({ context }: EgressRun): Promise<void> {
    const page = await context.newPage();
    await page.goto(`${homeUrl}/after`);
    expect(await page.title()).toBe("home");
  }

  async function expectConfined(route: EscapeRoute): Promise<void> {
    await using run = await startRun();
    const before = forbidden.connections;
    const local = `127.0.0.1:${forbidden.port}`;
    await take(run, route, ["http://evil.test/x", `http://${local}/x`, "https://evil.test/x"]);
    if (route.isSilent !== true) {
      const hosts = () => new Set(run.refused.map(({ host, port }) => `${host}:${port}`));
      await expect.poll(hosts).toEqual(new Set(["evil.test:80", local, "evil.test:443"]));
      // It takes the same route, so nothing else can have blocked the others.
      const path = `/${route.name.replace(/\W+/g, "-")}`;
      await take(run, route, [`http://good.test${path}`]);
      await expect.poll(() => allowed.requests.map(({ url }) => url)).toContain(path);
    } else await visitHome(run);
    expect(forbidden.connections).toBe(before);
    expect(world.lookups).not.toContain("evil.test");
  }

  async function expectOnlyProxiesConnected(minConnections: number): Promise<void> {
    const { connections, datagrams, lookups } = await browser.closeAndAccount();
    const known = new Set(proxies.map(({ url }) => new URL(url).host));
    expect(connections.length).toBeGreaterThan(minConnections);
    expect(connections.filter((address) => !known.has(address))).toEqual([]);
    expect({ datagrams, lookups }).toEqual({ datagrams: [], lookups: [] });
  }

  const owned = parts.move();
  return {
    browser,
    homeUrl,
    home,
    forbidden,
    world,
    proxies,
    startRun,
    visitHome,
    expectConfined,
    expectOnlyProxiesConnected,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function startHome(): Promise<TestSite> {
  return startSite((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://home");
    const urls = searchParams.getAll("to");
    const [to = ""] = urls;
    if (pathname === "/redirect") response.writeHead(Number(searchParams.get("status")), { location: to }).end();
    else if (pathname === "/worker.js") response.setHeader("content-type", "text/javascript").end(WORKER_SCRIPT);
    else {
      const route = ESCAPE_ROUTES.find(({ name }) => name === searchParams.get("route"));
      response.writeHead(200, { "content-type": "text/html", ...route?.headers?.(to) });
      const body = route === undefined ? "home" : urls.map((url) => route.html(url)).join("\n");
      response.end(`<!doctype html><title>home</title><body>${body}</body>`);
    }
  });
}
