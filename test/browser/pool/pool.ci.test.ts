import { existsSync, mkdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type BrowserPool, createBrowserPool, withBlankContexts } from "../../../src/browser/pool/browser-pool.ts";
import { createBrowserStarter } from "../../../src/browser/pool/browser-process.ts";
import { SessionLost } from "../../../src/browser/session/browser-session.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { findBrowserPath } from "../../_harness/browser-path.ts";
import { findTraces } from "../../_harness/browser-processes.ts";
import { never, serve, silent, until } from "../../_harness/browser-session.ts";
import { temporaryFolder, writeProgram } from "../../_harness/programs.ts";

const NOTHING = { folders: [], browsers: [], renderers: [], all: [] };

async function createPool(warm: number, executablePath?: string): Promise<BrowserPool> {
  const pool = await createBrowserPool({
    executablePath: executablePath ?? (await findBrowserPath()),
    warm,
    logger: silent,
  });
  onTestFinished(async () => pool[Symbol.asyncDispose]());
  return pool;
}

function open(pool: BrowserPool, host = "example.com", signal = never) {
  const options = { allowedHosts: [host], privateHosts: [host], downloads: { maxFiles: 1, maxBytes: 1 } };
  return pool.openSession({ ...options, access: "all", clock: systemClock }, signal);
}

function countListeners(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
}

it("gives each session its own process, which ends with it and leaves nothing behind", async () => {
  const pool = await createPool(0);
  await using site = await serve({});
  const listeners = countListeners();
  const first = await open(pool, site.host);
  const [one] = findTraces().browsers;
  const second = await open(pool, site.host);
  const two = findTraces().browsers.find((pid) => pid !== one);
  expect(two).toBeDefined();
  expect(countListeners()).toBe(listeners + 2);
  await first.goto(site.url, never);

  await first[Symbol.asyncDispose]();
  expect(findTraces()).toMatchObject({ folders: [expect.any(String)], browsers: [two] });
  await until(() => countListeners() === listeners + 1);
  await expect(first.observe(never)).rejects.toThrow(SessionLost);

  const third = await open(pool, site.host);
  expect(findTraces().browsers).not.toContain(one);
  await Promise.all([second[Symbol.asyncDispose](), third[Symbol.asyncDispose](), third[Symbol.asyncDispose]()]);
  expect(findTraces()).toEqual(NOTHING);
  await until(() => countListeners() === listeners);
});

it("uses a prestarted browser and starts the next one", async () => {
  const lines: string[] = [];
  const logger = createLogger("debug", { write: (line) => void lines.push(line) });
  await using pool = await createBrowserPool({ executablePath: await findBrowserPath(), warm: 1, logger });
  await until(() => lines.some((line) => line.includes("browser ready")));
  const [warm] = findTraces().browsers;
  await using _session = await open(pool);
  await until(() => findTraces().browsers.length === 2);
  expect(findTraces().browsers).toContain(warm);
});

it("opens contexts in a prestarted browser that reach nothing until they are taken", async () => {
  const { start } = createBrowserStarter(await findBrowserPath(), { maxMemoryBytes: 0 });
  await using site = await serve({ "/": "<h1>Reached</h1>" });
  const listeners = countListeners();
  const prepared = await withBlankContexts(await start());
  onTestFinished(async () => prepared[Symbol.asyncDispose]());
  const blank = prepared.takeBlank?.() ?? null;
  expect(blank).not.toBeNull();
  expect(prepared.takeBlank?.()).not.toBe(blank);
  expect(prepared.takeBlank?.()).toBeNull();
  const visit = async () => (await blank?.page.goto(site.url))?.status();

  expect(await visit()).toBe(403);
  expect(site.requests).toEqual([]);
  blank?.proxy.setRules({ allowedHosts: [site.host], privateHosts: [site.host] });
  expect(await visit()).toBe(200);

  await prepared[Symbol.asyncDispose]();
  await until(() => countListeners() === listeners);
});

it("replaces a prestarted browser that is killed", async () => {
  const lines: string[] = [];
  const logger = createLogger("debug", { write: (line) => void lines.push(line) });
  const hasLogged = (text: string) => lines.some((line) => line.includes(text));
  const executablePath = await findBrowserPath();
  await using pool = await createBrowserPool({ executablePath, warm: 1, logger });
  await until(() => hasLogged("browser ready"));
  await pool.checkReady();
  const [killed = 0] = findTraces().browsers;
  process.kill(killed, "SIGKILL");
  await until(() => findTraces().browsers.some((pid) => pid !== killed));
  await until(() => findTraces().folders.length === 1);
  expect(hasLogged("idle browser ended; replacing it")).toBe(true);
  await using _session = await open(pool);
});

it("ends its sessions when it closes and leaves nothing behind", async () => {
  const pool = await createPool(1);
  const listeners = countListeners();
  const session = await open(pool);
  const opening = open(pool).catch(() => null);
  await pool[Symbol.asyncDispose]();
  await expect(session.observe(never)).rejects.toThrow(SessionLost);
  await (await opening)?.[Symbol.asyncDispose]();
  await expect(open(pool)).rejects.toThrow("stopping");
  expect(findTraces()).toEqual(NOTHING);
  await until(() => countListeners() === listeners);
});

it("opens no session for a caller that has aborted", async () => {
  const pool = await createPool(0);
  const listeners = countListeners();
  for (let afterMs = 0; afterMs < 400; afterMs += 20) {
    const signal = AbortSignal.timeout(afterMs);
    const outcome = await open(pool, "example.com", signal).catch(() => null);
    await outcome?.[Symbol.asyncDispose]();
  }
  await expect(open(pool, "example.com", AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  expect(findTraces()).toEqual(NOTHING);
  await until(() => countListeners() === listeners);
});

it("fails with an actionable error when the browser does not start", async () => {
  const broken = writeProgram(join(temporaryFolder(), "chromium"), "#!/bin/sh\necho no screen today >&2\nexit 1\n");
  for (const path of [broken, "/nowhere/chromium"]) {
    const pool = await createPool(1, path);
    await expect(pool.checkReady()).rejects.toThrow(/does not start\. Run scripts\/bootstrap --browser, or set/);
    await expect(open(pool)).rejects.toThrow(path);
    await pool[Symbol.asyncDispose]();
  }
  await expect((await createPool(0, broken)).checkReady()).rejects.toThrow("no screen today");
  expect(findTraces()).toEqual(NOTHING);
});

it("removes what a killed service left behind, but nothing that a running one uses", async () => {
  const host = hostname().replaceAll(/[^a-z0-9.]/gi, "_");
  const dead = join(tmpdir(), `errand-browser-${host}-99999999-x1`);
  const living = join(tmpdir(), `errand-browser-${host}-${process.ppid}-x1`);
  onTestFinished(() => rmSync(living, { recursive: true }));
  for (const folder of [dead, living]) mkdirSync(join(folder, "profile"), { recursive: true });
  await createPool(0);
  expect([existsSync(dead), existsSync(living)]).toEqual([false, true]);
});
