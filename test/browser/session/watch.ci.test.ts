import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import type { BrowserSession, SessionPicture } from "../../../src/browser/session/browser-session.ts";
import { click, fill, never, openSession, type Site, serve } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

const RECENT_MS = 60_000;

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": `<title>First</title><input aria-label="Name"><input type="password" aria-label="Password">
      <input autocomplete="one-time-code" aria-label="Code"><button>Rest</button>
      <button onclick="window.open('/second')">Popup</button>`,
    "/second": "<style>body { background: blue }</style><p>Second",
  });
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function openWatched() {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await session.observe(never);
  const pictures: SessionPicture[] = [];
  const watching = session.watch((picture) => pictures.push(picture));
  return { session, pictures, watching };
}

/** The last picture after the text was entered, when nothing changes any more. */
async function show(session: BrowserSession, pictures: SessionPicture[], field: string, text: string) {
  await session.observe(never);
  await fill(session, field, text);
  await click(session, "Rest");
  await session.observe(never);
  let seen = -1;
  await expect
    .poll(
      () => {
        const isQuiet = seen === pictures.length;
        seen = pictures.length;
        return isQuiet && pictures.length > 0;
      },
      { timeout: RECENT_MS, interval: 800 },
    )
    .toBe(true);
  return pictures.at(-1)?.jpeg.toString("base64");
}

it("shows the current tab at once, and another one as soon as it is current", async () => {
  const { session, pictures, watching } = await openWatched();
  await expect.poll(() => pictures.at(-1), { timeout: RECENT_MS }).toMatchObject({ width: 1280, height: 800 });
  expect(pictures.at(-1)?.jpeg.subarray(0, 3).toString("hex")).toBe("ffd8ff");
  expect(pictures.at(-1)?.url).toBe(`${site.url}/`);
  await click(session, "Popup");
  await expect.poll(() => pictures.at(-1)?.url, { timeout: RECENT_MS }).toBe(`${site.url}/second`);
  await session.switchTab("t1");
  await expect.poll(() => pictures.at(-1)?.url, { timeout: RECENT_MS }).toBe(`${site.url}/`);
  watching[Symbol.dispose]();
  const count = pictures.length;
  await session.goto(`${site.url}/second`, never);
  expect(pictures).toHaveLength(count);
});

it("shows what is entered, but neither passwords nor codes", async () => {
  const { session, pictures } = await openWatched();
  expect(await show(session, pictures, "Name", "Ada")).not.toBe(await show(session, pictures, "Name", "Bob"));
  for (const field of ["Password", "Code"]) {
    const one = await show(session, pictures, field, "111111");
    expect(await show(session, pictures, field, "888888"), field).toBe(one);
  }
});
