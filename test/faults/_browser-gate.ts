import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { locateBrowser } from "../../src/browser/locate-browser.ts";
import { readEnvironment } from "../../src/config/env.ts";

/** The browser's program behind a gate: while it is shut, a browser that is started does not get anywhere. */
export interface BrowserGate {
  /** What to start in place of the browser. */
  readonly path: string;
  shut(): Promise<void>;
  open(): Promise<void>;
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
    open: () => rm(mark, { force: true }),
  };
}
