import type { Browser } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";

/** The CPU time that each renderer of a browser has used, in milliseconds by process id. */
type RendererLoad = ReadonlyMap<number, number>;

/** Asks the browser process, which responds however busy its pages are. Null when it does not respond either. */
export async function readRendererLoad(browser: Browser | null, timeoutMs: number): Promise<RendererLoad | null> {
  return browser === null ? null : await withTimeout(askBrowser(browser), timeoutMs).catch(() => null);
}

async function askBrowser(browser: Browser): Promise<RendererLoad> {
  const session = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const renderers = processInfo.filter(({ type }) => type === "renderer");
    return new Map(renderers.map(({ id, cpuTime }) => [id, cpuTime * 1_000]));
  } finally {
    await session.detach();
  }
}

/** What the busiest renderer has used between two readings; null when one of them failed. */
export function measureBusiest(before: RendererLoad | null, after: RendererLoad | null): number | null {
  if (before === null || after === null) return null;
  return Math.max(0, ...[...after].map(([id, usedMs]) => usedMs - (before.get(id) ?? 0)));
}
