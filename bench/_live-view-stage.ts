import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { SETTINGS } from "../src/config/settings.ts";
import { prepareLaunch } from "./_browser.ts";
import { startService } from "./_child.ts";
import { startLiveViewSite } from "./_live-view-site.ts";
import { countFrames, type FrameCounter, watchKeys, watchPicture } from "./_live-view-watch.ts";

/** The real service with a person in front of its live page, and the same site beside it in a browser of their own. */
export interface LiveViewStage extends AsyncDisposable {
  servicePid: number;
  live: Page;
  local: Page;
  frames: FrameCounter;
}

/** With room for a picture of 1280×800. */
const OUTER = { width: 1_400, height: 1_000 };
const INNER = { width: 1_280, height: 800 };
const MAIN = join(import.meta.dirname, "../src/main.ts");
const REDIRECT_URI = "http://127.0.0.1/callback";
const PASSWORD = "correct horse battery";

export async function setLiveViewStage(
  signal: AbortSignal,
  onProgress: (text: string) => void,
): Promise<LiveViewStage> {
  await using disposables = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  disposables.defer(() => rm(dataDir, { recursive: true, force: true }));
  const site = disposables.use(await startLiveViewSite());
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    ...Object.fromEntries(Object.values(SETTINGS).map((setting) => [setting.env, ""])),
    ERRAND_PORT: "0",
    ERRAND_ALLOW_HOSTS: new URL(site.url).host,
    ERRAND_DATA_DIR: dataDir,
  };
  onProgress("Starting the service");
  const service = disposables.use(await startService(env, join(dataDir, "service.log")));
  signal.throwIfAborted();
  const registration = ["--type", "public", "--redirect-uri", REDIRECT_URI, "--sign-in-url", site.url];
  const command = [MAIN, "app", "create", "--name", "Benchmark", "--home-url", site.url, ...registration, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env, signal });
  const { id } = JSON.parse(stdout) as { id: string };
  const browser = await (await prepareLaunch())();
  disposables.defer(() => browser.close());
  onProgress("Opening the live page");
  const { live, frames } = await openLive(browser, `http://127.0.0.1:${service.port}`, id);
  const local = await openLocal(browser, site.url);
  const owned = disposables.move();
  return { servicePid: service.pid, live, local, frames, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Through sign-up and consent, as everybody comes there. */
async function openLive(browser: Browser, serviceUrl: string, clientId: string) {
  const page = await (await browser.newContext({ viewport: OUTER })).newPage();
  const frames = countFrames(page);
  await watchPicture(page);
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: REDIRECT_URI });
  await page.goto(`${serviceUrl}/v1/oauth/authorize?${query}`);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("E-mail address").fill("bench@example.com");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "Allow" }).click();
  const picture = page.locator(`#picture[width="${INNER.width}"][height="${INNER.height}"]`);
  await picture.waitFor();
  // Into the field of the site.
  await picture.click({ position: { x: 640, y: 300 } });
  return { live: page, frames };
}

async function openLocal(browser: Browser, siteUrl: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: INNER })).newPage();
  await watchKeys(page);
  await page.goto(siteUrl);
  return page;
}
