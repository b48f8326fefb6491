import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import type { BrowserSession } from "../../../src/browser/session/browser-session.ts";
import { click, fill, never, openSession, type Site, serve } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": `<input aria-label="Name"><input type="password" aria-label="Password">
      <input autocomplete="one-time-code" aria-label="Code"><button>Rest</button>`,
  });
  pool = await openSharedPool({ screenshotMs: 20_000 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/** A screenshot taken while the field contains the text and focus is elsewhere. */
async function shoot(session: BrowserSession, field: string, text: string): Promise<string> {
  await fill(session, field, text);
  await click(session, "Rest");
  await session.observe(never);
  const shot = await session.screenshot();
  expect(shot?.contentType).toBe("image/jpeg");
  expect(shot?.data.subarray(0, 3).toString("hex")).toBe("ffd8ff");
  return shot?.data.toString("base64") ?? "";
}

it("shows the page without passwords or codes", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  expect(await shoot(session, "Name", "Ada")).not.toBe(await shoot(session, "Name", "Bob"));
  for (const field of ["Password", "Code"]) {
    expect(await shoot(session, field, "111111"), field).toBe(await shoot(session, field, "888888"));
  }
});
