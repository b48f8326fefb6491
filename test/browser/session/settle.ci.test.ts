import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import {
  click,
  findNode,
  never,
  openSession,
  readText,
  type Site,
  serve,
  until,
} from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

let pool: BrowserPool;
/** Gives up on pages that do not settle after a short time. */
let impatient: BrowserPool;
let site: Site;
/** Responses that the site does not send. */
let held: ServerResponse[] = [];

beforeAll(async () => {
  const hold: Parameters<typeof serve>[0][string] = (_request, response) => void held.push(response);
  const later: Parameters<typeof serve>[0][string] = (_request, response) =>
    void setTimeout(() => response.setHeader("content-type", "text/html").end("<title>Later</title>later"), 300);
  site = await serve({
    "/": `<title>Home</title><p></p>
      <script>const say = (text) => { document.querySelector("p").textContent = text; }</script>
      <button onclick="say('now')">Plain</button>
      <button onclick="fetch('/later').then(() => fetch('/later', { method: 'POST' })).then(() => say('fetched'))">Fetch</button>
      <button onclick="setTimeout(() => { location.href = '/later' })">Go</button>
      <button onclick="fetch('/held')">Poll</button>
      <button onclick="fetch('/held', { method: 'POST' })">Save</button>
      <a href="/held">Held</a> <form method="post" action="/held"><button>Send</button></form>
      <form method="post" action="/later"><button>Slow</button></form>
      <button onclick="let n = 0; setInterval(() => say(n++), 1)">Restless</button>`,
    "/later": later,
    "/held": hold,
    "/slow-start": `<title>App</title><div id="root"></div><script src="/slow-start.js"></script>`,
    "/slow-start.js": "setTimeout(() => { document.getElementById('root').textContent = 'The list'; }, 900);",
    "/busy-start": `<title>App</title><p>Frame</p><script>setTimeout(() => {
      for (const end = Date.now() + 1500; Date.now() < end;);
      fetch('/later').then(() => { document.querySelector('p').textContent = 'The list'; });
    })</script>`,
  });
  pool = await openSharedPool();
  impatient = await openSharedPool({ settleMs: 500, busySettleMs: 3_000 });
});
beforeEach(() => {
  for (const response of held) response.destroy();
  held = [];
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await impatient[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("waits for everything that an action causes, one after another", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Plain");
  expect(await readText(session)).toContain("now");
  await click(session, "Fetch");
  expect(await readText(session)).toContain("fetched");
  await click(session, "Go");
  expect(await session.observe(never)).toMatchObject({ title: "Later", url: `${site.url}/later` });
  await session.back(never);
  await click(session, "Slow");
  expect(await session.observe(never)).toMatchObject({ title: "Later" });
  expect(session.writes().at(-1)).toMatchObject({ url: `${site.url}/later`, isNavigation: true, status: 200 });
});

it("returns the result of the action, and fails when it fails", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  expect(await session.settle(async () => 42, never)).toBe(42);
  await expect(session.settle(() => Promise.reject(new Error("covered")), never)).rejects.toThrow("covered");
});

it("does not wait forever for a response, a save or a page that never settles", async () => {
  const session = await openSession(impatient, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Poll");
  await click(session, "Save");
  expect(session.writes()).toMatchObject([{ url: `${site.url}/held`, status: null, failure: null }]);
  await click(session, "Restless");
  expect((await session.observe(never)).title).toBe("Home");
  await until(() => held.length === 2);
});

it("gives up on a document that does not arrive, and the page is still there", async () => {
  const session = await openSession(impatient, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Held");
  expect((await session.observe(never)).title).toBe("Home");
  await click(session, "Send");
  expect((await session.observe(never)).title).toBe("Home");
  await until(() => session.writes()[0]?.failure !== null);
  expect(session.writes()).toMatchObject([{ method: "POST", status: null, failure: "net::ERR_ABORTED" }]);
  await click(session, "Plain");
  expect(await readText(session)).toContain("now");
});

it("stops waiting when the signal is aborted", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const { handle } = await session.pin(findNode(await session.observe(never), "Save").ref ?? "");
  const stop = new AbortController();
  const settling = session.settle(async () => {
    await (await handle.toHandle()).click();
    stop.abort(new Error("enough"));
  }, stop.signal);
  await expect(settling).rejects.toThrow("enough");
});

it("waits for an application that shows nothing before its script has drawn something", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/slow-start`, never);
  expect(await readText(session)).toContain("The list");
});

it("does not take a page for quiet whose script is too busy to be asked", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/busy-start`, never);
  expect(await readText(session)).toContain("The list");
});
