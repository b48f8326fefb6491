import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { SessionLost } from "../../../src/browser/session/browser-session.ts";
import { findTraces } from "../../_harness/browser-processes.ts";
import {
  click,
  findNode,
  never,
  observeFresh,
  openSession,
  type Site,
  serve,
  startProcessPool,
} from "../../_harness/browser-session.ts";

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": "<title>Home</title><input aria-label='Name'><button onclick='for (;;);'>Loop</button>",
    "/loop": "<title>Loop</title><script>for (;;);</script>",
    "/soon": "<title>Soon</title><script>setTimeout(() => { for (;;); }, 300)</script>",
    "/held": () => {},
  });
  pool = await startProcessPool({ limits: { hangMs: 3_000 } });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("fails pending and later calls when the browser is killed", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const { handle } = await session.pin(findNode(await session.observe(never), "Name").ref ?? "");
  const going = session.goto(`${site.url}/held`, never);
  const ended = expect(going).rejects.toThrow(SessionLost);
  for (const pid of findTraces().browsers) process.kill(pid, "SIGKILL");
  await ended;
  await expect(session.observe(never)).rejects.toThrow("crashed or was killed");
  await expect(session.pin("e1")).rejects.toThrow(SessionLost);
  await expect(session.settle(async () => (await handle.toHandle()).click(), never)).rejects.toThrow(SessionLost);
  await expect(session.screenshot()).rejects.toThrow(SessionLost);
  await expect(observeFresh(session, `${site.url}/`)).rejects.toThrow(SessionLost);
  await expect(session.press("Enter")).rejects.toThrow(SessionLost);
  await session[Symbol.asyncDispose]();
  expect(findTraces()).toEqual({ folders: [], browsers: [], renderers: [], all: [] });
});

it("ends the run when a page crashes", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const observing = async () => {
    for (;;) await session.observe(never);
  };
  const ended = expect(observing()).rejects.toThrow("The page crashed");
  for (const pid of findTraces().renderers) process.kill(pid, "SIGKILL");
  await ended;
});

it.each(["/loop", "/soon"])("ends the run on a page whose script never ends (%s), and can be closed", async (path) => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}${path}`, never);
  const observing = async () => {
    for (;;) await session.observe(never);
  };
  await expect(observing()).rejects.toThrow(/no longer responds|did not respond/);
  await expect(session.observe(never)).rejects.toThrow(SessionLost);
  await session[Symbol.asyncDispose]();
  expect(findTraces().all).toEqual([]);
});

it("ends the run when a click never returns", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await expect(click(session, "Loop")).rejects.toThrow(SessionLost);
});
