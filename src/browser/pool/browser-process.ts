import { chmod, chown, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { describeError } from "../../lib/errors.ts";
import { INSTALL_BROWSER_COMMAND } from "../../lib/installation.ts";
import { withTimeout } from "../../lib/waiting.ts";
import { NO_EGRESS_ARGUMENTS } from "../egress/confined-context.ts";
import type { RunningBrowser } from "../session/session-options.ts";
import { AS_ROOT, type BrowserIdentity, listIdentities, toCommand } from "./browser-user.ts";
import { listSwitches } from "./launch-switches.ts";
import { findProcessGroup, killProcessesMentioning, killProcessGroup } from "./process-group.ts";
import { guardProcess, type ProcessLimits } from "./process-guard.ts";

/** Playwright notices only by this timeout when a browser dies at certain moments of its start. */
const LAUNCH_TIMEOUT_MS = 20_000;
/** For the launch and the DevTools calls after it, which a browser that hangs never responds to. */
const START_TIMEOUT_MS = 30_000;
const DISCONNECT_TIMEOUT_MS = 5_000;

/** Shared workers are off because pages get no events of them: messages on their WebSockets could not be recorded. */
export const VISIBILITY_ARGUMENTS = ["--disable-shared-workers"];

/** Starts browsers, all with the same identity: the safest with which the first one started. */
export interface BrowserStarter {
  start(): Promise<RunningBrowser>;
  /** Null before the first start. */
  readonly identity: BrowserIdentity | null;
}

/** Chromium's message when neither the kernel nor a helper program lets it build its sandbox. */
const NO_SANDBOX = /no usable sandbox|sandbox(?:ing)? .*(?:fail|not permitted)|Operation not permitted/i;

export function createBrowserStarter(executablePath: string, limits: ProcessLimits): BrowserStarter {
  let identity: BrowserIdentity | null = null;

  async function startFirst(): Promise<RunningBrowser> {
    const candidates = listIdentities(executablePath);
    for (const [index, candidate] of candidates.entries()) {
      try {
        const started = await startBrowserProcess(executablePath, limits, candidate);
        identity = candidate;
        return started;
      } catch (error) {
        // Any other reason says nothing about the sandbox.
        if (index === candidates.length - 1 || !NO_SANDBOX.test(describeError(error))) throw error;
      }
    }
    throw new Error("There is no user to run the browser as.");
  }

  return {
    start: () => (identity === null ? startFirst() : startBrowserProcess(executablePath, limits, identity)),
    get identity() {
      return identity;
    },
  };
}

/** Starts a browser in its own folder. Disposing of it kills the process and removes the folder. */
export async function startBrowserProcess(
  executablePath: string,
  limits: ProcessLimits,
  identity: BrowserIdentity = process.getuid?.() === 0 ? AS_ROOT : { user: null, hasSandbox: true },
): Promise<RunningBrowser> {
  const folder = await createBrowserFolder(identity);
  try {
    const started = await withTimeout(launchAndIdentify(executablePath, folder, identity), START_TIMEOUT_MS);
    if (started === null) throw new Error(`Not started within ${START_TIMEOUT_MS / 1_000} s.`);
    const { browser, processGroup } = started;
    const guard = guardProcess({ ...limits, ...started });
    return {
      browser,
      downloadsFolder: folder.downloads,
      isExclusive: true,
      explainEnd: guard.explainEnd,
      async [Symbol.asyncDispose]() {
        guard[Symbol.dispose]();
        await endBrowser(browser, processGroup);
        await folder[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    // The process id of a browser that hangs during its start is unknown. Its command line contains the folder.
    await killProcessesMentioning(folder.path);
    await folder[Symbol.asyncDispose]();
    const advice = `Run ${INSTALL_BROWSER_COMMAND}, or set ERRAND_BROWSER_PATH to a Chromium or Chrome that starts.`;
    throw new Error(`The browser ${executablePath} does not start. ${advice} Output: ${describeLaunchFailure(error)}`);
  }
}

async function launchAndIdentify(
  executablePath: string,
  folder: BrowserFolder,
  identity: BrowserIdentity,
): Promise<BrowserProcesses & { browser: Browser }> {
  const browser = await launch(executablePath, folder, identity);
  return { browser, ...(await unlessEnded(browser, readProcesses(browser))) };
}

async function launch(executablePath: string, folder: BrowserFolder, identity: BrowserIdentity): Promise<Browser> {
  const switches = listSwitches(folder.profile, { ...identity, hasGpu: process.getuid?.() !== 0 });
  const [program, args] = toCommand(identity, executablePath, [
    ...switches,
    ...NO_EGRESS_ARGUMENTS,
    ...VISIBILITY_ARGUMENTS,
  ]);
  // Imported late: it takes almost half a second to load, and most commands open no browser.
  const { chromium } = await import("playwright-core");
  // A persistent context is the only way to choose the profile folder. Sessions never use that context.
  const unused = await chromium.launchPersistentContext(folder.profile, {
    executablePath: program,
    artifactsDir: folder.downloads,
    ignoreDefaultArgs: true,
    args,
    // Not inherited, because the environment of the service holds secrets.
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder.path, TMPDIR: folder.temporary, LANG: "C.UTF-8" },
    // The service ends its browsers itself when it stops.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: LAUNCH_TIMEOUT_MS,
  });
  const browser = unused.browser();
  if (browser === null) throw new Error("Playwright returned no browser.");
  return browser;
}

interface BrowserProcesses {
  /** Of the main process. */
  pid: number;
  processGroup: number;
}

async function readProcesses(browser: Browser): Promise<BrowserProcesses> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const main = processInfo.find(({ type }) => type === "browser");
  if (main === undefined) throw new Error("The browser does not report its process id.");
  return { pid: main.id, processGroup: await findProcessGroup(main.id) };
}

/** Some DevTools calls never settle when the browser ends in the meantime. */
export async function unlessEnded<T>(browser: Browser, work: Promise<T>): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(new Error("The browser ended while it was starting."));
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

/** Kills the browser at once: there is nothing to save, and a browser that hangs would not close. */
async function endBrowser(browser: Browser, processGroup: number): Promise<void> {
  const { promise: disconnected, resolve } = Promise.withResolvers<void>();
  if (browser.isConnected()) browser.once("disconnected", () => resolve());
  else resolve();
  const timer = setTimeout(resolve, DISCONNECT_TIMEOUT_MS);
  await killProcessGroup(processGroup);
  await disconnected;
  clearTimeout(timer);
}

const MAX_LINES = 5;

/** The error output of a failed start, without the long command line and the noise of every start. */
function describeLaunchFailure(error: unknown): string {
  const [first = "", ...rest] = describeError(error).split("\n");
  const said = rest
    .flatMap((line) => /^\[pid=\d+\]\[err\] (.*)$/.exec(line)?.[1] ?? [])
    .filter((line) => !/dbus|bluez|Floss/.test(line));
  return [first, ...said.slice(-MAX_LINES)].join(" ").trim();
}

/** The folder of one browser: profile, downloads and temporary files. Removing it removes everything it has written. */
interface BrowserFolder extends AsyncDisposable {
  readonly path: string;
  readonly profile: string;
  readonly downloads: string;
  readonly temporary: string;
}

/** Names the machine, because temporary folders may be shared between machines. The process id follows. */
const PREFIX = `errand-browser-${hostname().replaceAll(/[^a-z0-9.]/gi, "_")}-`;

export async function createBrowserFolder({ user }: Pick<BrowserIdentity, "user"> = AS_ROOT): Promise<BrowserFolder> {
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const folder = {
    path,
    profile: join(path, "profile"),
    downloads: join(path, "downloads"),
    temporary: join(path, "tmp"),
    [Symbol.asyncDispose]: () => removeFolder(path),
  };
  for (const inner of [folder.profile, folder.downloads, folder.temporary]) {
    await mkdir(inner, { mode: 0o700 });
    if (user !== null) await chown(inner, user.uid, user.gid);
  }
  if (user !== null) await chown(path, user.uid, user.gid);
  return folder;
}

/** Removes the folders of services that were killed. Their browsers end by themselves. */
export async function removeOrphanedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = (name.startsWith(PREFIX) && /^(\d+)-/.exec(name.slice(PREFIX.length))) || [];
    if (pid !== undefined && !isRunning(Number(pid))) await removeFolder(join(tmpdir(), name));
  }
}

async function removeFolder(path: string): Promise<void> {
  await chmod(path, 0o700).catch(() => {});
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
