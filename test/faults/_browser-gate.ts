import { rmSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { locateBrowser } from "../../src/browser/pool/locate-browser.ts";
import { readEnvironment } from "../../src/config/env.ts";
import { findTraces } from "../_harness/browser-processes.ts";

const START_TIMEOUT_MS = 30_000;
// Each check scans all processes.
const POLL_MS = 200;

/** The browser's program behind a gate: while it is shut, a browser that is started hangs. */
export interface BrowserGate {
  /** The program to start instead of the browser. */
  readonly path: string;
  shut(): Promise<void>;
  /** Resolves when a process has started one that waits at the gate. */
  untilStarting(ownerPid: number): Promise<void>;
  open(): void;
}

export async function createBrowserGate(folder: string): Promise<BrowserGate> {
  const { ERRAND_BROWSER_PATH: explicitPath = null, PATH: searchPath = "" } = readEnvironment();
  const browser = await locateBrowser({ explicitPath, searchPath });
  if (browser === null) throw new Error("There is no browser. Run scripts/bootstrap --browser.");
  const path = join(folder, "gated-browser");
  const mark = join(folder, "browsers-wait");
  await writeFile(path, `#!/bin/sh\nwhile [ -e '${mark}' ]; do sleep 0.05; done\nexec '${browser.path}' "$@"\n`);
  await chmod(path, 0o755);
  return {
    path,
    shut: () => writeFile(mark, ""),
    async untilStarting(ownerPid) {
      const deadline = performance.now() + START_TIMEOUT_MS;
      while (findTraces(ownerPid).all.length === 0) {
        if (performance.now() > deadline) throw new Error(`process ${ownerPid} starts no browser`);
        await sleep(POLL_MS);
      }
    },
    open: () => rmSync(mark, { force: true }),
  };
}
