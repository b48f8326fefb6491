import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../harness/browsers.ts";
import { MAIN, SERVICE_ENV, startService } from "../harness/processes.ts";

/** The real service with its live view open in a browser, and the same site opened directly. */
export interface LiveViewStage extends AsyncDisposable {
  servicePid: number;
  live: Page;
  local: Page;
  frames: FrameCounter;
}

/** Large enough for a frame of 1280×800. */
const OUTER = { width: 1_400, height: 1_000 };
const INNER = { width: 1_280, height: 800 };
const REDIRECT_URI = "http://127.0.0.1/callback";
const PASSWORD = "correct horse battery";

export async function openLiveViewStage(
  signal: AbortSignal,
  onProgress: (text: string) => void,
): Promise<LiveViewStage> {
  await using disposables = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  disposables.defer(() => rm(dataDir, { recursive: true, force: true }));
  const site = disposables.use(await startLiveViewSite());
  const env = { ...SERVICE_ENV, ERRAND_ALLOW_HOSTS: new URL(site.url).host, ERRAND_DATA_DIR: dataDir };
  onProgress("Starting the service");
  const service = disposables.use(await startService({ env, logFile: join(dataDir, "service.log"), roles: "api" }));
  signal.throwIfAborted();
  const registration = ["--type", "public", "--redirect-uri", REDIRECT_URI, "--sign-in-url", site.url];
  const command = [MAIN, "app", "create", "--name", "Benchmark", "--home-url", site.url, ...registration, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env, signal });
  const { id } = JSON.parse(stdout) as { id: string };
  const browser = await launchBrowser();
  disposables.defer(() => browser.close());
  onProgress("Opening the live view");
  const { live, frames } = await openLive(browser, `http://127.0.0.1:${service.port}`, id);
  const local = await openLocal(browser, site.url);
  const owned = disposables.move();
  return { servicePid: service.pid, live, local, frames, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Through sign-up and consent, as every user gets there. */
async function openLive(browser: Browser, serviceUrl: string, clientId: string) {
  const page = await (await browser.newContext({ viewport: OUTER })).newPage();
  const frames = countFrames(page);
  await watchFrames(page);
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: REDIRECT_URI });
  await page.goto(`${serviceUrl}/v1/oauth/authorize?${query}`);
  await page.getByRole("link", { name: "Create an account" }).click();
  for (const button of ["Create account", "Sign in"]) {
    await page.getByLabel("Email address").fill("bench@example.com");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: button }).click();
    if (button === "Create account") await page.getByText("Now sign in").waitFor();
  }
  await page.getByRole("button", { name: "Allow" }).click();
  const picture = page.locator(`#picture[width="${INNER.width}"][height="${INNER.height}"]`);
  await picture.waitFor();
  // Focuses the field of the site.
  await picture.click({ position: { x: 640, y: 300 } });
  return { live: page, frames };
}

async function openLocal(browser: Browser, siteUrl: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: INNER })).newPage();
  await watchKeys(page);
  await page.goto(siteUrl);
  return page;
}

/** A typical sign-in page. Every key inverts the patch in its corner; "*" starts and stops an animation. */
interface LiveViewSite extends AsyncDisposable {
  url: string;
}

/** A point inside the patch, in CSS pixels. */
const PATCH = { x: 20, y: 20 };

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>
<style>
body { margin: 0; font: 16px/1.5 sans-serif; background: #f4f1ea; color: #222 }
#patch { width: 40px; height: 40px; background: #fff }
#patch.is-dark { background: #000 }
main { width: 420px; margin: 60px auto; padding: 32px; border-radius: 12px; background: #fff; box-shadow: 0 8px 24px #0002 }
input { display: block; box-sizing: border-box; width: 100%; margin: 8px 0 16px; padding: 12px; font: inherit }
#mover { position: absolute; top: 500px; left: 0; width: 240px; height: 160px; border-radius: 24px; background: linear-gradient(45deg, #c33, #36c) }
</style>
<div id="patch"></div><div id="mover"></div>
<main><h1>Welcome back</h1><p>Sign in with your email address and password.</p>
<label>Email address<input id="name" autofocus></label><label>Password<input type="password"></label><p>Forgot your password? Contact us and we will help you within a day.</p></main>
<script>
const patch = document.getElementById("patch"), mover = document.getElementById("mover");
let isMoving = false;
const move = (now) => { mover.style.translate = (now / 4) % 1000 + "px"; if (isMoving) requestAnimationFrame(move); };
addEventListener("keydown", ({ key }) => {
  if (key === "*") { isMoving = !isMoving; requestAnimationFrame(move); } else patch.classList.toggle("is-dark");
});
</script></html>`;

async function startLiveViewSite(): Promise<LiveViewSite> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** State that the watching scripts keep in a page. */
interface Watch {
  startedMs: number;
  /** Called with the time from the key press until the frame with its effect was painted. */
  onChanged: ((ms: number) => void) | null;
}

declare global {
  interface Window {
    benchWatch?: Watch;
  }
}

/** In the live view: the effect of a key press is the first frame on the canvas with an inverted patch. */
async function watchFrames(page: Page): Promise<void> {
  await page.addInitScript(installWatch);
  await page.addInitScript(({ x, y }) => {
    const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const draw = CanvasRenderingContext2D.prototype.drawImage as (...parameters: unknown[]) => void;
    let wasDark: boolean | null = null;
    CanvasRenderingContext2D.prototype.drawImage = function drawAndCompare(...parameters: unknown[]) {
      draw.apply(this, parameters);
      pixel?.drawImage(this.canvas, -x, -y);
      const isDark = (pixel?.getImageData(0, 0, 1, 1).data[0] ?? 0) < 128;
      if (wasDark !== null && wasDark !== isDark) dispatchEvent(new Event("bench-changed"));
      wasDark = isDark;
    };
  }, PATCH);
}

/** In the site's own page: the effect of a key press is the paint after the page's own script has run. */
async function watchKeys(page: Page): Promise<void> {
  await page.addInitScript(installWatch);
  await page.addInitScript(() => {
    addEventListener("keydown", () => dispatchEvent(new Event("bench-changed")));
  });
}

function installWatch(): void {
  const watch: Watch = { startedMs: 0, onChanged: null };
  window.benchWatch = watch;
  addEventListener(
    "keydown",
    () => {
      watch.startedMs = performance.now();
    },
    { capture: true },
  );
  // A message posted in an animation frame callback arrives after the frame has been painted.
  addEventListener("bench-changed", () =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => watch.onChanged?.(performance.now() - watch.startedMs);
      port2.postMessage(null);
    }),
  );
}

/** A press without any effect until then is counted as missed. */
const MISSED_MS = 5_000;

/** Presses a key and returns the milliseconds until its effect was visible, or null when nothing changed. */
export async function timePress(page: Page): Promise<number | null> {
  const changed = page.evaluate(
    (missedMs) =>
      new Promise<number | null>((resolve, reject) => {
        if (window.benchWatch === undefined) return reject(new Error("The page is not watched."));
        window.benchWatch.onChanged = resolve;
        setTimeout(() => resolve(null), missedMs);
        return undefined;
      }),
    MISSED_MS,
  );
  const [ms] = await Promise.all([changed, page.keyboard.press("a")]);
  return ms;
}

interface FrameCounter {
  /** Counts since the last call. */
  take(): { frames: number; bytes: number };
}

/** Frames are the binary messages of the page's WebSocket. */
function countFrames(page: Page): FrameCounter {
  let counted = { frames: 0, bytes: 0 };
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (typeof payload === "string") return;
      counted.frames += 1;
      counted.bytes += payload.length;
    }),
  );
  return {
    take() {
      const taken = counted;
      counted = { frames: 0, bytes: 0 };
      return taken;
    },
  };
}
