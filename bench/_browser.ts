import { type Browser, chromium } from "playwright-core";
import { locateBrowser } from "../src/browser/pool/locate-browser.ts";
import { readEnvironment } from "../src/config/env.ts";

/** Starts the same browser program as the service's, with the sandbox or without it, as the service starts its own. */
export async function prepareLaunch(): Promise<() => Promise<Browser>> {
  const { ERRAND_BROWSER_PATH: chosen, PATH: searchPath = "" } = readEnvironment();
  const located = await locateBrowser({ explicitPath: chosen ?? null, searchPath });
  if (located === null) throw new Error("No browser was found. Run scripts/bootstrap --browser.");
  const isRoot = process.getuid?.() === 0;
  const args = isRoot ? ["--no-sandbox", "--disable-gpu"] : [];
  // The benchmark ends its browsers itself when it is told to stop.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  return () => chromium.launch({ executablePath: located.path, args, chromiumSandbox: !isRoot, ...signals });
}
