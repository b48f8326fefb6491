import { locateBrowser } from "../../src/browser/pool/locate-browser.ts";
import { readEnvironment } from "../../src/config/env.ts";

export async function findBrowserPath(): Promise<string> {
  const { ERRAND_BROWSER_PATH: chosen, PATH: searchPath = "" } = readEnvironment();
  const located = await locateBrowser({ explicitPath: chosen ?? null, searchPath });
  if (located === null) throw new Error("No browser was found. Run scripts/bootstrap --browser to install one.");
  return located.path;
}
