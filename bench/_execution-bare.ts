import type { Browser } from "playwright-core";
import { prepareLaunch } from "./_browser.ts";
import { runScript } from "./_execution-errand.ts";

/** The script by itself, in the same browser program as the service's. */
export interface BareScript extends AsyncDisposable {
  /** In a browser that runs already, as the service's do: a new context and what is done in it. */
  runWarm(): Promise<BareRun>;
  /** With starting a browser for it. */
  runLaunched(): Promise<BareRun>;
  /** As many as that, each in a browser of its own; none is closed before all are done and `onDone` is too. */
  runTogether(count: number, onDone: () => Promise<void>): Promise<void>;
}

/** Until the total is there. Closing comes after it and is not counted. */
export interface BareRun {
  ms: number;
  total: string;
}

export async function openBareScript(shopUrl: string): Promise<BareScript> {
  const launch = await prepareLaunch();
  const warm = await launch();
  const runTimed = async (startedMs: number, browser: Browser): Promise<BareRun> => {
    const context = await browser.newContext();
    try {
      const total = await runScript(context, shopUrl);
      return { ms: performance.now() - startedMs, total };
    } finally {
      await context.close();
    }
  };
  const runLaunched = async () => {
    const startedMs = performance.now();
    const browser = await launch();
    try {
      return await runTimed(startedMs, browser);
    } finally {
      await browser.close();
    }
  };
  return {
    runWarm: () => runTimed(performance.now(), warm),
    runLaunched,
    async runTogether(count, onDone) {
      await using browsers = new AsyncDisposableStack();
      const runs = Array.from({ length: count }, async () => {
        const browser = await launch();
        browsers.defer(() => browser.close());
        await runScript(await browser.newContext(), shopUrl);
      });
      const ends = await Promise.allSettled(runs);
      for (const end of ends) if (end.status === "rejected") throw end.reason;
      await onDone();
    },
    [Symbol.asyncDispose]: () => warm.close(),
  };
}
