import type { Browser } from "playwright-core";
import { inTime } from "../lib/in-time.ts";
import { type BrowserFolder, createBrowserFolder } from "./browser-folder.ts";
import { NO_WAY_OUT } from "./egress/launch-arguments.ts";
import { guardProcess, type ProcessLimits } from "./guarded-process.ts";
import { listSwitches } from "./launch-switches.ts";
import { endProcessesNaming, endProcessGroup, findProcessGroup } from "./process-group.ts";
import type { RunningBrowser } from "./running-browser.ts";

/** Also how long it takes to notice that a browser ended at a bad moment of its start. */
const LAUNCH_TIMEOUT_MS = 20_000;
/** For all of it: a browser that hangs answers none of the questions after its launch. */
const START_TIMEOUT_MS = 30_000;
const DISCONNECT_TIMEOUT_MS = 5_000;

/** Of what a shared worker does, no page is told: messages of its WebSockets could not be recorded. */
export const VISIBILITY_ARGUMENTS = ["--disable-shared-workers"];

export async function startBrowserProcess(executablePath: string, limits: ProcessLimits): Promise<RunningBrowser> {
  const folder = await createBrowserFolder();
  try {
    const started = await inTime(start(executablePath, folder), START_TIMEOUT_MS);
    if (started === null) throw new Error(`It did not start within ${START_TIMEOUT_MS / 1_000} s.`);
    const { browser, processGroup } = started;
    const guard = guardProcess({ ...limits, ...started });
    return {
      browser,
      downloadsFolder: folder.downloads,
      isExclusive: true,
      explainEnd: guard.explainEnd,
      async [Symbol.asyncDispose]() {
        guard[Symbol.dispose]();
        await end(browser, processGroup);
        await folder[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    // One that hangs in the middle of its start is known to nobody but by its folder.
    await endProcessesNaming(folder.path);
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

async function start(executablePath: string, folder: BrowserFolder): Promise<Processes & { browser: Browser }> {
  const browser = await launch(executablePath, folder);
  return { browser, ...(await untilEnded(browser, askForProcesses(browser))) };
}

async function launch(executablePath: string, folder: BrowserFolder): Promise<Browser> {
  const hasSandbox = process.getuid?.() !== 0;
  // Imported late: it takes almost half a second to load, which a command that opens no browser need not wait for.
  const { chromium } = await import("playwright-core");
  // A persistent context is the only way to choose the folder of the profile. Sessions never use that context.
  const unused = await chromium.launchPersistentContext(folder.profile, {
    executablePath,
    artifactsDir: folder.downloads,
    ignoreDefaultArgs: true,
    args: [...listSwitches(folder.profile, { hasSandbox }), ...NO_WAY_OUT, ...VISIBILITY_ARGUMENTS],
    // Made here, because the service's own environment holds secrets.
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder.path, TMPDIR: folder.temporary, LANG: "C.UTF-8" },
    // The service ends its browsers itself when it is told to stop.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: LAUNCH_TIMEOUT_MS,
  });
  const browser = unused.browser();
  if (browser === null) throw new Error("The browser has no connection of its own.");
  return browser;
}

interface Processes {
  /** The main one. */
  pid: number;
  processGroup: number;
}

async function askForProcesses(browser: Browser): Promise<Processes> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const main = processInfo.find(({ type }) => type === "browser");
  if (main === undefined) throw new Error("The browser does not say which process it is.");
  return { pid: main.id, processGroup: await findProcessGroup(main.id) };
}

/** Some questions stay without an answer when the browser ends in between. */
async function untilEnded<T>(browser: Browser, work: Promise<T>): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(new Error("The browser ended while it was being started."));
  browser.once("disconnected", end);
  if (!browser.isConnected()) end();
  work.catch(() => {});
  try {
    return await Promise.race([work, ended]);
  } finally {
    browser.off("disconnected", end);
    ended.catch(() => {});
  }
}

/** There is nothing to save, and a browser that hangs would not close: so it is killed at once, with all its children. */
async function end(browser: Browser, processGroup: number): Promise<void> {
  const { promise: disconnected, resolve } = Promise.withResolvers<void>();
  if (browser.isConnected()) browser.once("disconnected", () => resolve());
  else resolve();
  const timer = setTimeout(resolve, DISCONNECT_TIMEOUT_MS);
  await endProcessGroup(processGroup);
  await disconnected;
  clearTimeout(timer);
}
