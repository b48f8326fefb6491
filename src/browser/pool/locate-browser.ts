import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

interface Lookup {
  /** The configured browser. No other is used in its place. */
  explicitPath: string | null;
  /** Folders to search, in the format of PATH. */
  searchPath: string;
  /** The path of Playwright's Chromium. Default: as Playwright reports it. */
  playwrightChromium?: string;
  applications?: readonly string[];
}

interface LocatedBrowser {
  path: string;
  kind: "explicit" | "playwright" | "system";
}

/** Headless shells first: they start several times faster. */
const PROGRAM_NAMES = [
  "chromium-headless-shell",
  "chrome-headless-shell",
  "google-chrome-stable",
  "google-chrome",
  "chromium",
  "chromium-browser",
  "microsoft-edge-stable",
  "microsoft-edge",
];

/** macOS does not put applications on PATH. */
const MAC_APPLICATIONS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/** The configured browser, else Playwright's own, else one that the system has, else null. */
export async function locateBrowser(lookup: Lookup): Promise<LocatedBrowser | null> {
  const { explicitPath, searchPath, applications = MAC_APPLICATIONS } = lookup;
  if (explicitPath !== null) {
    if (isProgram(explicitPath)) return { path: explicitPath, kind: "explicit" };
    throw new Error(`ERRAND_BROWSER_PATH is ${explicitPath}, which is not an executable file. Correct or unset it.`);
  }

  const chromium = lookup.playwrightChromium ?? (await findPlaywrightChromium());
  const own = [...playwrightHeadlessShells(chromium), chromium].find(isProgram);
  if (own !== undefined) return { path: own, kind: "playwright" };

  const folders = searchPath.split(delimiter).filter((folder) => folder !== "");
  const programs = PROGRAM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const installed = [...programs, ...applications].find(isProgram);
  return installed === undefined ? null : { path: installed, kind: "system" };
}

/** Imported late: Playwright takes almost half a second to load, and an explicit path does not need it. */
async function findPlaywrightChromium(): Promise<string> {
  const { chromium } = await import("playwright-core");
  return chromium.executablePath();
}

/** Playwright reports only its full Chromium. The headless shell of that revision is in the folder next to it. */
function playwrightHeadlessShells(chromium: string): string[] {
  const [, registry, revision] = /^(.*)\/chromium-(\d+)\//.exec(chromium) ?? [];
  if (registry === undefined) return [];
  const folder = join(registry, `chromium_headless_shell-${revision}`);
  return listFolder(folder).map((build) => join(folder, build, "chrome-headless-shell"));
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
