import { Counter, Gauge, Histogram } from "prom-client";

/** Registered in the default registry of the process, which /metrics serves. */
const browsers = new Gauge({
  name: "errand_browsers",
  help: "Browsers of this process by state: in_use, warm (waiting for a session) or starting.",
  labelNames: ["state"],
});
for (const state of ["in_use", "warm", "starting"]) browsers.inc({ state }, 0);
const starts = new Counter({
  name: "errand_browser_starts_total",
  help: "Browsers that this process started or connected to, by outcome: started or failed. A missing browser counts as failed.",
  labelNames: ["outcome"],
});
for (const outcome of ["started", "failed"]) starts.inc({ outcome }, 0);
const startDurations = new Histogram({
  name: "errand_browser_start_seconds",
  help: "How long browsers took to start.",
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

export function countBrowsers(state: "in_use" | "warm", change: 1 | -1): void {
  browsers.inc({ state }, change);
}

/** No browser is installed: counts as a failed start. */
export function countMissingBrowser(): void {
  starts.inc({ outcome: "failed" });
}

/** Wraps a start function so that its starts are counted and timed. */
export function countStarts<Browser>(start: () => Promise<Browser>): () => Promise<Browser> {
  return async () => {
    const startedAtMs = performance.now();
    browsers.inc({ state: "starting" });
    try {
      const browser = await start();
      starts.inc({ outcome: "started" });
      startDurations.observe((performance.now() - startedAtMs) / 1_000);
      return browser;
    } catch (error) {
      starts.inc({ outcome: "failed" });
      throw error;
    } finally {
      browsers.dec({ state: "starting" });
    }
  };
}
