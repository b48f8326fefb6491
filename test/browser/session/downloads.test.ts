import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { click, never, openSession, type Site, serve, until } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  const send =
    (name: string, body: string): Parameters<typeof serve>[0][string] =>
    (_request, response) => {
      response
        .writeHead(200, { "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}` })
        .end(body);
    };
  site = await serve({
    "/": `<a href="/report">Report</a> <a href="/evil">Evil</a> <a href="/large">Large</a> <a href="/endless">Endless</a>
      <a href="/broken">Broken</a>`,
    "/report": send("report 2026.csv", "a,b\n"),
    "/evil": send("..%2f..\\\\../.bash\u001brc;rm -rf $HOME", "x"),
    "/large": send("large.bin", "x".repeat(2_000)),
    "/endless": (request, response) => {
      response.writeHead(200, { "content-disposition": "attachment; filename=endless.bin" });
      const timer = setInterval(() => response.write("x".repeat(500)), 5);
      request.socket.once("close", () => clearInterval(timer));
    },
    "/broken": (_request, response) => {
      const headers = { "content-disposition": "attachment; filename=broken.bin", "content-length": "500" };
      response.writeHead(200, headers);
      response.write("some");
      setTimeout(() => response.destroy(), 50);
    },
  });
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("stores files separately under safe names, and removes them with the session", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const mark = session.mark();
  await click(session, "Report");
  const [report] = session.since(mark).downloads;
  expect(report).toMatchObject({ name: "report 2026.csv", url: `${site.url}/report`, bytes: 4, refusal: null });
  expect(readFileSync(report?.path ?? "", "utf8")).toBe("a,b\n");
  expect((await session.observe(never)).url).toBe(`${site.url}/`);

  await click(session, "Evil");
  const [, evil] = session.since(mark).downloads;
  expect(evil?.name).toMatch(/^[\w][\w. -]*$/);
  expect(basename(evil?.path ?? "")).toBe(`2-${evil?.name}`);

  expect(await session.goto(`${site.url}/report`, never)).toBeNull();
  await session[Symbol.asyncDispose]();
  expect(existsSync(report?.path ?? "")).toBe(false);
});

it("discards files that are too large, too many or incomplete", async () => {
  const session = await openSession(pool, [site], { downloads: { maxFiles: 4, maxBytes: 1_500 } });
  await session.goto(`${site.url}/`, never);
  const mark = session.mark();
  const refusals = () => session.since(mark).downloads.map(({ name, refusal }) => [name, refusal]);
  const tooLarge = "larger than the limit of 1500 bytes per execution";
  for (const name of ["Large", "Endless", "Broken"]) await click(session, name);
  await until(() => refusals().length === 3);
  expect(refusals()).toEqual([
    ["large.bin", tooLarge],
    ["endless.bin", tooLarge],
    ["broken.bin", expect.stringContaining("canceled")],
  ]);
  await click(session, "Report");
  await click(session, "Report");
  expect(refusals().slice(3)).toEqual([
    ["report 2026.csv", null],
    ["report 2026.csv", "more than 4 files"],
  ]);
});
