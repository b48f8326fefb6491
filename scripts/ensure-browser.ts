/**
 * Finds a working browser, and installs one if there is none.
 * Prints the path of a browser that it found. Prints nothing if the settings name one.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { locateBrowser } from "../src/browser/pool/locate-browser.ts";
import { readEnvironment } from "../src/config/env.ts";

const SECOND = 1000;
const INSTALL_LIMIT = 600 * SECOND;

const HELP = `No browser found, and none could be installed. Do one of these, then run this again:
  - on Debian:   sudo apt-get install chromium-headless-shell
  - elsewhere:   npx playwright-core install --with-deps chromium-headless-shell
  - if you have Chrome, Chromium or Edge: set ERRAND_BROWSER_PATH to its program
  - if a browser already runs on this machine: set ERRAND_BROWSER_CDP_URL to its DevTools URL`;

const environment = readEnvironment();
const isRoot = process.getuid?.() === 0;
const isDebian = readOsRelease().includes("\nID=debian\n");

function readOsRelease(): string {
  try {
    return `\n${readFileSync("/etc/os-release", "utf8")}`;
  } catch {
    return "";
  }
}

function say(text: string): void {
  console.error(`errand: ${text}`);
}

/** Shows the command's output on standard error; standard output is for the path. */
function run(command: string, args: string[], env: NodeJS.ProcessEnv): boolean {
  return (
    spawnSync(command, args, { stdio: ["ignore", 2, 2], timeout: INSTALL_LIMIT, env: { ...process.env, ...env } })
      .status === 0
  );
}

/** The distribution's package includes the libraries and a font, without which pages show no text. */
function installWithApt(): boolean {
  if (!isDebian || !isRoot) return false;
  say("No working browser found. Installing chromium-headless-shell with apt-get.");
  const apt = (...args: string[]) =>
    run("apt-get", ["-q", "-o", "DPkg::Lock::Timeout=60", ...args], { DEBIAN_FRONTEND: "noninteractive" });
  return apt("update") && apt("install", "-y", "--no-install-recommends", "chromium-headless-shell");
}

function installWithPlaywright(): boolean {
  say("Downloading Playwright's headless shell, about 100 MB.");
  // The libraries are installed with apt-get, which only root can use without a password.
  const libraries = isRoot && !isDebian && process.platform === "linux" ? ["--with-deps"] : [];
  const cli = fileURLToPath(new URL("cli.js", import.meta.resolve("playwright-core/package.json")));
  // Per attempt; Playwright makes five.
  const patience = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: String(5 * SECOND) };
  return run(process.execPath, [cli, "install", ...libraries, "chromium-headless-shell"], patience);
}

/** A file is not enough: libraries may be missing, and Ubuntu's chromium-browser only advertises a snap. */
function starts(path: string): boolean {
  const { status, stderr, error } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 30 * SECOND });
  if (status === 0) return true;
  say(`${path} does not start: ${error?.message ?? stderr.trim().split("\n")[0]}`);
  return false;
}

async function findWorking(): Promise<string | null> {
  const found = await locateBrowser({ explicitPath: null, searchPath: environment.PATH ?? "" });
  return found !== null && starts(found.path) ? found.path : null;
}

async function ensureBrowser(): Promise<string | null> {
  const found = await findWorking();
  if (found !== null) return found;
  for (const install of [installWithPlaywright, installWithApt]) {
    const installed = install() ? await findWorking() : null;
    if (installed !== null) return installed;
  }
  return null;
}

async function main(): Promise<void> {
  if (environment.ERRAND_BROWSER_CDP_URL?.trim()) return;
  const explicitPath = environment.ERRAND_BROWSER_PATH?.trim();
  if (explicitPath) {
    await locateBrowser({ explicitPath, searchPath: "" });
    return;
  }
  const path = await ensureBrowser();
  if (path === null) throw new Error(HELP);
  console.log(path);
}

try {
  await main();
} catch (error) {
  say((error as Error).message);
  process.exitCode = 1;
}
