import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { SessionLost } from "../../../src/browser/session/browser-session.ts";
import { isWrite } from "../../../src/browser/session/network-record.ts";
import { click, fill, findNode, never, openSession, type Site, serve } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";
import { PAGES_THAT_WRITE, WAYS_TO_WRITE } from "../../_harness/ways-to-write.ts";

/** A frame is not a request, and a service worker is not started at all; each has its own test. */
const REQUESTS = Object.keys(WAYS_TO_WRITE).filter((name) => !/websocket|service-worker/.test(name));

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  const form = `<form method="post" action="/save"><input aria-label="Name"><button>Save</button></form>`;
  site = await serve({ ...PAGES_THAT_WRITE, "/form": form }, { webSocket: true });
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("blocks every write, however a page sends it", async () => {
  const session = await openSession(pool, [site], { access: "read_only" });
  for (const name of REQUESTS) {
    await session.goto(`${site.url}/`, never);
    const mark = session.mark();
    await click(session, name);
    await session.goto(`${site.url}/after-${name}`, never);
    const writes = session.since(mark).requests.filter(isWrite);
    expect(
      writes.map(({ url, status, blockedBy }) => ({ path: new URL(url).pathname, status, blockedBy })),
      name,
    ).toEqual([{ path: `/${name}`, status: null, blockedBy: "read_only" }]);
  }
  expect(site.requests.map(({ url }) => url)).toContain("/after-leaving-beacon");
  expect(site.writes()).toEqual([]);
});

it("keeps a page and its entered text when its form is blocked", async () => {
  const session = await openSession(pool, [site], { access: "read_only" });
  await session.goto(`${site.url}/form`, never);
  await fill(session, "Name", "Ada");
  await click(session, "Save");
  const observation = await session.observe(never);
  expect(observation.url).toBe(`${site.url}/form`);
  expect(findNode(observation, "Name").value).toBe("Ada");
  expect(site.writes()).toEqual([]);
});

it("gives a page neither a WebSocket nor a service worker", async () => {
  const session = await openSession(pool, [site], { access: "read_only" });
  await session.goto(`${site.url}/`, never);
  await click(session, "websocket");
  await click(session, "service-worker");
  await session.goto(`${site.url}/after`, never);
  expect(session.since(0 as never).requests.map(({ url }) => new URL(url).pathname)).not.toContain("/websocket");
  expect(site.requests.map(({ url }) => url)).not.toContain("/service-worker.js");
  expect(site.writes()).toEqual([]);
});

it("ends the run when a worker sends a WebSocket message", async () => {
  const session = await openSession(pool, [site], { access: "read_only" });
  await session.goto(`${site.url}/`, never);
  await click(session, "worker-websocket").catch(() => {});
  const observing = async () => {
    for (;;) await session.observe(never);
  };
  await expect(observing()).rejects.toThrow(SessionLost);
});
