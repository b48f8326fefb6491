import { afterAll, beforeAll, expect, it } from "vitest";
import { StaleElement } from "../../../src/browser/observation/pin-element.ts";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { click, findNode, never, openSession, type Site, serve, until } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": `<title>Home</title><a href="/two" target="_blank">Link</a>
      <button onclick="window.open('/two')">Script</button> <button onclick="window.open('/self-closing')">Brief</button>
      <button onclick="for (let n = 0; n < 10; n++) window.open('/two')">Many</button>`,
    "/two": "<title>Two</title><button onclick='window.close()'>Close</button>",
    "/self-closing": "<title>Brief</title><script>window.close()</script>",
  });
  pool = await openSharedPool({ maxTabs: 4 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("makes a popup the current tab, and returns to its opener when it closes", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const mark = session.mark();
  await click(session, "Script");
  expect(session.since(mark).openedTabs).toEqual(["t2"]);
  expect((await session.observe(never)).tabs).toEqual([
    { id: "t1", url: `${site.url}/`, title: "Home", isCurrent: false },
    { id: "t2", url: `${site.url}/two`, title: "Two", isCurrent: true },
  ]);
  await click(session, "Close");
  await until(async () => (await session.observe(never)).tabs.length === 1);
  expect(await session.observe(never)).toMatchObject({ title: "Home", tabs: [{ id: "t1", isCurrent: true }] });
});

it("switches and closes tabs, and ties refs to the observed tab", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Link");
  const second = await session.observe(never);
  expect(second.title).toBe("Two");
  await session.switchTab("t1");
  await expect(session.pin(findNode(second, "Close").ref ?? "")).rejects.toThrow(StaleElement);
  expect((await session.observe(never)).title).toBe("Home");
  await session.closeTab("t2");
  expect((await session.observe(never)).tabs).toMatchObject([{ id: "t1", isCurrent: true }]);
  await expect(session.switchTab("t2")).rejects.toThrow("Tab t2 does not exist");
});

it("tolerates a popup that closes at once", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Brief");
  await until(async () => (await session.observe(never)).title === "Home");
});

it("limits the number of tabs", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Many");
  await session.switchTab("t1");
  const { tabs } = await session.observe(never);
  expect(tabs).toHaveLength(4);
});
