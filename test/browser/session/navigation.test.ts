import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { NavigationFailed, PolicyRefusal } from "../../../src/browser/session/browser-session.ts";
import { findFreePort } from "../../../src/lib/free-port.ts";
import { click, never, openSession, type Site, serve, until } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

let pool: BrowserPool;
let elsewhere: Site;
let site: Site;

beforeAll(async () => {
  elsewhere = await serve({ "/": "<title>Elsewhere</title>" });
  site = await serve({
    "/": "<title>Home</title><a href='/second'>Second</a>",
    "/second": "<title>Second</title>",
    "/missing": (_request, response) => response.writeHead(404).end("gone"),
    "/nothing": (_request, response) => response.writeHead(204).end(),
    "/moved": (_request, response) => response.writeHead(302, { location: "/second" }).end(),
    "/away": (_request, response) => response.writeHead(302, { location: elsewhere.url }).end(),
    "/script-away": `<script>location.href = '${elsewhere.url}'</script>`,
    "/broken": (request) => request.socket.destroy(),
    "/silent": () => {},
    "/blob": `<script>
        const blob = () => URL.createObjectURL(new Blob(["<title>Blob</title>"], { type: "text/html" }));
      </script>
      <button onclick="window.open(blob())">Open</button> <button onclick="location.href = blob()">Go</button>`,
  });
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

describe("goto", () => {
  it("returns the status of the document, after redirects", async () => {
    const session = await openSession(pool, [site]);
    expect(await session.goto(`${site.url}/`, never)).toBe(200);
    expect(await session.goto(`${site.url}/missing`, never)).toBe(404);
    expect(await session.goto(`${site.url}/nothing`, never)).toBe(204);
    expect(await session.goto(`${site.url}/moved`, never)).toBe(200);
    const { title, url } = await session.observe(never);
    expect({ title, url }).toEqual({ title: "Second", url: `${site.url}/second` });
    expect(session.visited()).toEqual([`${site.url}/`, `${site.url}/missing`, `${site.url}/second`]);
  });

  it("opens only web pages", async () => {
    const session = await openSession(pool, [site]);
    const others = ["file:///etc/passwd", "data:text/html,x", "javascript:1", "about:blank", "view-source:http://x/"];
    for (const url of [...others, "chrome://version", `blob:${site.url}/1`, "ftp://example.com/", "no address"]) {
      await expect(session.goto(url, never), url).rejects.toThrow(PolicyRefusal);
    }
    expect(site.requests.filter(({ url }) => url === "/etc/passwd")).toEqual([]);
  });

  it("refuses unlisted hosts without a DNS lookup", async () => {
    const session = await openSession(pool, [site]);
    const mark = session.mark();
    await expect(session.goto(elsewhere.url, never)).rejects.toThrow(PolicyRefusal);
    await expect(session.goto("https://example.com/", never)).rejects.toThrow("example.com:443 cannot be opened");
    expect(session.since(mark).requests).toEqual([]);
    expect(elsewhere.connections).toBe(0);
  });

  it("refuses private addresses that are not enabled, even if any host is allowed", async () => {
    const session = await openSession(pool, [], { allowedHosts: "public" });
    await expect(session.goto("http://127.0.0.1/", never)).rejects.toThrow("private address");
    await expect(session.goto(`http://127.0.0.1:${site.port}/`, never)).rejects.toThrow("port");
    expect(session.allows("https://example.com/")).toBe(true);
    expect(session.allows("http://10.0.0.1/")).toBe(false);
    expect(session.allows("file:///etc/passwd")).toBe(false);
  });

  it("names the host when a redirect leaves the list, and does not reach it", async () => {
    const session = await openSession(pool, [site]);
    const mark = session.mark();
    await expect(session.goto(`${site.url}/away`, never)).rejects.toThrow(
      `${elsewhere.host} is not on the list of allowed hosts.`,
    );
    const { refusedHosts, requests } = session.since(mark);
    expect(refusedHosts).toEqual([elsewhere.host]);
    expect(requests.at(-1)).toMatchObject({ status: null, blockedBy: "allow_list" });
    expect(elsewhere.connections).toBe(0);
  });

  it("reports where a page tried to navigate by itself", async () => {
    const session = await openSession(pool, [site]);
    const mark = session.mark();
    await session.goto(`${site.url}/script-away`, never);
    await until(() => session.since(mark).refusedHosts.length > 0);
    expect(session.since(mark).refusedHosts).toEqual([elsewhere.host]);
    expect(elsewhere.connections).toBe(0);
  });

  it("says why a URL could not be opened", async () => {
    const port = await findFreePort();
    const closed = { ...site, host: `127.0.0.1:${port}` };
    const session = await openSession(pool, [site, closed]);
    await expect(session.goto(`http://127.0.0.1:${port}/`, never)).rejects.toThrow(
      `No response from 127.0.0.1:${port}: it refused the connection.`,
    );
    await expect(session.goto(`https://127.0.0.1:${port}/`, never)).rejects.toThrow("the host cannot be reached");
    await expect(session.goto(`${site.url}/broken`, never)).rejects.toThrow(NavigationFailed);
    expect(await session.goto(`${site.url}/`, never)).toBe(200);
  });

  it("gives up on a host that does not respond", async () => {
    await using impatient = await openSharedPool({ navigationMs: 1_000 });
    const session = await openSession(impatient, [site]);
    await expect(session.goto(`${site.url}/silent`, never)).rejects.toThrow("it did not respond in time");
  });

  it("stops waiting when it is aborted", async () => {
    const session = await openSession(pool, [site]);
    const stop = new AbortController();
    const going = session.goto(`${site.url}/silent`, stop.signal);
    stop.abort(new Error("enough"));
    await expect(going).rejects.toThrow("enough");
  });
});

describe("back", () => {
  it("shows the previous page, and says when there is none", async () => {
    const session = await openSession(pool, [site]);
    await session.goto(`${site.url}/`, never);
    await expect(session.back(never)).rejects.toThrow(NavigationFailed);
    await click(session, "Second");
    await session.back(never);
    expect((await session.observe(never)).title).toBe("Home");
  });
});

describe("a page", () => {
  it("cannot show content that comes from no host", async () => {
    const session = await openSession(pool, [site]);
    await session.goto(`${site.url}/blob`, never);
    const mark = session.mark();
    await click(session, "Open");
    expect(session.since(mark).openedTabs).toEqual(["t2"]);
    await until(async () => (await session.observe(never)).tabs.every(({ url }) => !url.startsWith("blob:")));
    await session.switchTab("t1");
    await click(session, "Go");
    await until(async () => (await session.observe(never)).url === "about:blank");
  });

  it("exists and is empty after the last tab was closed", async () => {
    const session = await openSession(pool, [site]);
    await session.goto(`${site.url}/`, never);
    await session.closeTab("t1");
    expect((await session.observe(never)).tabs).toMatchObject([{ id: "t2", url: "about:blank", isCurrent: true }]);
    expect(await session.goto(`${site.url}/`, never)).toBe(200);
  });
});
