import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type ConnectOverCDPTransport, chromium } from "playwright-core";
import { inject } from "vitest";
import { WebSocket } from "ws";
import { NO_EGRESS_ARGUMENTS } from "../../src/browser/egress/confined-context.ts";
import { openLive } from "../../src/browser/live/live-session.ts";
import { type BrowserPool, withBlankContexts } from "../../src/browser/pool/browser-pool.ts";
import { VISIBILITY_ARGUMENTS } from "../../src/browser/pool/browser-process.ts";
import { listSwitches } from "../../src/browser/pool/launch-switches.ts";
import { openSession } from "../../src/browser/session/open-session.ts";
import type { RunningBrowser, SessionLimits } from "../../src/browser/session/session-options.ts";
import { withTimeout } from "../../src/lib/waiting.ts";
import { findBrowserPath } from "./browser-path.ts";

/** A Chromium that this test worker started like the product does. It ends with the worker. */
interface SharedBrowser {
  devToolsUrl: string;
  child: ChildProcess;
}

/** A hanging page closes only with its process. */
const CLOSE_TIMEOUT_MS = 2_000;

/** As in Playwright. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

const idle: SharedBrowser[] = [];

/**
 * A browser pool that reuses the Chromium processes of this test worker. A session still has a process to itself while
 * it is open, as in the product; afterwards its contexts are removed and the process serves the next session. Tests of
 * the pool itself, of process guards and of killed browsers use `createBrowserPool`.
 */
export async function openSharedPool(limits: Partial<SessionLimits> = {}): Promise<BrowserPool> {
  const borrowed = new Set<RunningBrowser>();

  async function borrow(): Promise<RunningBrowser> {
    const shared = await takeBrowser();
    const downloadsFolder = mkdtempSync(join(inject("scratchDir"), "downloads-"));
    // A separate connection: everything that the session opened, including its request interception, goes with it.
    const { browser, close } = await connect(shared, downloadsFolder);
    let ending: Promise<void> | null = null;
    const end = async () => {
      const hasClosed = browser.isConnected() && (await withTimeout(close(), CLOSE_TIMEOUT_MS)) !== null;
      await rm(downloadsFolder, { recursive: true, force: true });
      for (const each of borrowed) if (each.browser === browser) borrowed.delete(each);
      if (hasClosed) idle.push(shared);
      else kill(shared);
    };
    const running: RunningBrowser = {
      browser,
      downloadsFolder,
      isExclusive: true,
      explainEnd: () => null,
      [Symbol.asyncDispose]() {
        ending ??= end();
        return ending;
      },
    };
    // As in a browser that was started in advance.
    const prepared = await withBlankContexts(running);
    borrowed.add(prepared);
    return prepared;
  }

  async function open<Opened>(openWith: (running: RunningBrowser) => Promise<Opened>): Promise<Opened> {
    const running = await borrow();
    try {
      return await openWith(running);
    } catch (error) {
      await running[Symbol.asyncDispose]();
      throw error;
    }
  }

  return {
    async openSession(options, signal) {
      signal.throwIfAborted();
      return open((running) => openSession({ running, options, limits }, signal));
    },
    async openLive(options, signal) {
      signal.throwIfAborted();
      return open((running) => openLive({ running, options }, signal));
    },
    async checkReady() {},
    async [Symbol.asyncDispose]() {
      await Promise.all([...borrowed].map((running) => running[Symbol.asyncDispose]()));
    },
  };
}

async function takeBrowser(): Promise<SharedBrowser> {
  for (let shared = idle.pop(); shared !== undefined; shared = idle.pop()) {
    if (shared.child.exitCode === null && shared.child.signalCode === null) return shared;
  }
  return startBrowser();
}

async function startBrowser(): Promise<SharedBrowser> {
  const folder = mkdtempSync(join(inject("scratchDir"), "browser-"));
  const isRoot = process.getuid?.() === 0;
  const switches = listSwitches(join(folder, "profile"), { hasSandbox: !isRoot, hasGpu: !isRoot });
  const child = spawn(
    await findBrowserPath(),
    [...switches, ...NO_EGRESS_ARGUMENTS, ...VISIBILITY_ARGUMENTS, "--remote-debugging-port=0"],
    {
      // The last two are Chromium's debugging pipe. It is unused, but makes Chromium exit with this process.
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      detached: true,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" },
    },
  );
  const shared = { child, devToolsUrl: await readDevToolsUrl(child) };
  child.unref();
  for (const stream of child.stdio) (stream as { unref?(): void } | null)?.unref?.();
  return shared;
}

async function readDevToolsUrl(child: ChildProcess): Promise<string> {
  const stderr = child.stderr as Readable;
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  stderr.setEncoding("utf8").on("data", (chunk: string) => {
    said = `${said}${chunk}`.slice(-2_000);
    const [, url] = /DevTools listening on (ws:\S+)\s/.exec(said) ?? [];
    if (url !== undefined) resolve(url);
  });
  child.once("error", reject);
  child.once("exit", () => reject(new Error(`The shared browser did not start: ${said}`)));
  return promise;
}

/**
 * As over the pipe of the product, nothing is compressed. With a URL, Playwright compresses its scripts for every page, and
 * Chromium every screenshot: a tenth of an errand's processor time.
 */
async function connect({ devToolsUrl }: SharedBrowser, artifactsDir: string) {
  const socket = new WebSocket(devToolsUrl, { perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });
  await once(socket, "open");
  const transport: ConnectOverCDPTransport = {
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
  // Playwright expects each message in a task of its own.
  socket.on("message", (data) => setImmediate(() => transport.onmessage?.(JSON.parse(String(data)))));
  socket.on("close", () => setImmediate(() => transport.onclose?.()));
  socket.on("error", () => socket.terminate());
  const closed = once(socket, "close");
  const browser = await chromium.connectOverCDP(transport, { noDefaults: true, artifactsDir });
  return { browser, close: () => Promise.all([browser.close(), closed]) };
}

function kill({ child }: SharedBrowser): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
