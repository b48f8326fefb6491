import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { createBrowserStarter } from "../../../src/browser/pool/browser-process.ts";
import { findBrowserPath } from "../../_harness/browser-path.ts";
import { findTraces } from "../../_harness/browser-processes.ts";
import { click, never, openSession, type Site, serve, startProcessPool } from "../../_harness/browser-session.ts";

describe("a browser that is started by root or anyone else", () => {
  let pool: BrowserPool;
  let site: Site;

  beforeAll(async () => {
    site = await serve({
      "/": `<h1>Hello</h1><a href="/file">File</a>`,
      "/file": (_request, response) => {
        response.writeHead(200, { "content-disposition": "attachment; filename=file.txt" }).end("content");
      },
    });
    pool = await startProcessPool();
  });
  afterAll(async () => {
    await pool[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  const status = (pid: number, field: string) =>
    new RegExp(`^${field}:\\s+(\\S+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];

  it("has no process of root, and none that keeps root's capabilities", async () => {
    await using session = await openSession(pool, [site]);
    await session.goto(`${site.url}/`, never);
    const { renderers, all } = findTraces();
    expect(renderers.length).toBeGreaterThan(0);
    for (const pid of all) {
      expect(status(pid, "Uid"), `process ${pid}`).not.toBe("0");
      expect(BigInt(`0x${status(pid, "CapInh")}`)).toBe(0n);
    }
  });

  it("confines pages with Chromium's sandbox where it started with one", async () => {
    const starter = createBrowserStarter(await findBrowserPath(), { maxMemoryBytes: 0 });
    expect(starter.identity).toBeNull();
    await using running = await starter.start();
    const page = await (await running.browser.newContext()).newPage();
    await page.goto("data:text/html,<h1>Hello</h1>");
    // 2: the kernel filters the system calls of the process.
    const filtered = findTraces().renderers.map((pid) => status(pid, "Seccomp") === "2");
    expect(filtered.length).toBeGreaterThan(0);
    expect(filtered).toEqual(filtered.map(() => starter.identity?.hasSandbox));
  });

  it("stores downloads in a folder that only it and the service can read", async () => {
    await using session = await openSession(pool, [site]);
    await session.goto(`${site.url}/`, never);
    const mark = session.mark();
    await click(session, "File");
    const [file] = session.since(mark).downloads;
    expect(readFileSync(file?.path ?? "", "utf8")).toBe("content");
    const folders = findTraces().folders.map((name) => join(tmpdir(), name));
    expect(folders.some((folder) => file?.path.startsWith(folder))).toBe(true);
    for (const folder of folders) expect(statSync(folder).mode & 0o077).toBe(0);
  });
});
