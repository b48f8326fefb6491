import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type Observation, type ObservedNode, textOf, walk } from "../../src/browser/observation/observation.ts";
import { type BrowserPool, createBrowserPool } from "../../src/browser/pool/browser-pool.ts";
import type { ProcessLimits } from "../../src/browser/pool/process-guard.ts";
import type { BrowserSession, PageToRead } from "../../src/browser/session/browser-session.ts";
import type { SessionLimits, SessionOptions } from "../../src/browser/session/session-options.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { findBrowserPath } from "./browser-path.ts";
import { startSite, type TestSite } from "./egress-world.ts";

export const never = new AbortController().signal;
export const silent = createLogger("silent", process.stderr);

/** Starts separate browser processes, as in production, for tests about these processes. */
export async function startProcessPool({
  limits = {},
  warm = 0,
  process,
}: {
  limits?: Partial<SessionLimits>;
  warm?: number;
  process?: ProcessLimits;
} = {}): Promise<BrowserPool> {
  return createBrowserPool({
    executablePath: await findBrowserPath(),
    warm,
    logger: silent,
    limits,
    ...(process === undefined ? {} : { process }),
  });
}

/** Bodies by path. Other paths return an empty page. */
type Pages = Record<string, string | Parameters<typeof startSite>[0]>;

export interface Site extends TestSite {
  readonly host: string;
  url: string;
  /** "METHOD /path" of every write. */
  writes(): string[];
}

export async function serve(pages: Pages, options: Parameters<typeof startSite>[1] = {}): Promise<Site> {
  const site = await startSite((request, response, seen) => {
    const page = pages[seen.url.split("?")[0] ?? ""] ?? "<title>Empty</title>";
    if (typeof page === "function") page(request, response, seen);
    else response.setHeader("content-type", seen.url.endsWith(".js") ? "text/javascript" : "text/html").end(page);
  }, options);
  const host = `127.0.0.1:${site.port}`;
  const writes = () =>
    site.requests.filter(({ method }) => method !== "GET").map(({ method, url }) => `${method} ${url}`);
  return Object.assign(site, { host, url: `http://${host}`, writes });
}

/** A session that is closed after its test. */
export async function openSession(
  pool: BrowserPool,
  sites: readonly Site[],
  options: Partial<SessionOptions> = {},
): Promise<BrowserSession> {
  const hosts = sites.map(({ host }) => host);
  const session = await pool.openSession(
    {
      allowedHosts: hosts,
      privateHosts: hosts,
      access: "all",
      downloads: { maxFiles: 5, maxBytes: 1_000_000 },
      clock: systemClock,
      ...options,
    },
    never,
  );
  onTestFinished(async () => session[Symbol.asyncDispose]());
  return session;
}

export function findNode({ root }: Observation, name: string): ObservedNode {
  for (const { node } of walk(root)) if (node.name === name && node.ref !== null) return node;
  throw new Error(`there is no ${name} on the page: ${textOf(root)}`);
}

export async function click(session: BrowserSession, name: string): Promise<void> {
  const { ref } = findNode(await session.observe(never), name);
  const { handle } = await session.pin(ref ?? "");
  const page = handle.frame.page();
  await session.settle(async () => {
    try {
      await (await handle.toHandle()).click();
    } catch (error) {
      // A click may close its own page before the click itself has returned.
      if (!page.isClosed()) throw error;
    }
  }, never);
}

export async function fill(session: BrowserSession, name: string, text: string): Promise<void> {
  const { ref } = findNode(await session.observe(never), name);
  const { handle } = await session.pin(ref ?? "");
  await session.settle(async () => (await handle.toHandle()).fill(text), never);
}

/** One page, as verification sees it. */
export async function observeFresh(session: BrowserSession, url: string, expected: Omit<PageToRead, "url"> = {}) {
  const [read] = await session.observeForVerification([{ url, ...expected }], never);
  if (read === undefined) throw new Error(`${url} was not read.`);
  if ("failure" in read) throw read.failure;
  return read;
}

export async function readText(session: BrowserSession): Promise<string> {
  return textOf((await session.observe(never)).root);
}

/** Polls until the condition is true. If it never is, the test ends with its own timeout. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  // Slightly less than a test has, so that the error shows the condition.
  const giveUpAt = Date.now() + 150_000;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error(`Never came to be: ${isSo}`);
    await delay(20);
  }
}
