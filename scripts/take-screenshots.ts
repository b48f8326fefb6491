/**
 * Retakes the screenshots of the README and the docs: `npm run screenshots`.
 * Starts a new service with only the demo shop in it and opens it in a real browser.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { locateBrowser } from "../src/browser/pool/locate-browser.ts";
import { readEnvironment } from "../src/config/env.ts";

interface Started {
  url: string;
  demo_url: string;
}

const ROOT = join(import.meta.dirname, "..");
const PICTURES = join(ROOT, "docs/pictures");
const EMAIL = "owner@example.com";
const PASSWORD = "correct horse battery";
const VIEWPORT = { width: 1280, height: 800 };
const QUALITY = 82;
/** Pages show relative times: with a fixed delay they are always the same. */
const LATER_MS = 3 * 60_000;
const TIMEOUT_MS = 90_000;
const DONE_POLL_MS = 300;

const WITH_DATA = {
  prompt: "List the name and price of all products under €15, on all pages.",
  output_schema: {
    type: "object",
    required: ["products"],
    properties: {
      products: {
        type: "array",
        items: {
          type: "object",
          required: ["name", "price"],
          properties: { name: { type: "string" }, price: { type: "number" } },
        },
      },
    },
  },
};

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "errand-pictures-"));
  const service = startService(dataDir);
  const located = await locateBrowser({
    explicitPath: readEnvironment().ERRAND_BROWSER_PATH ?? null,
    searchPath: readEnvironment().PATH ?? "",
  });
  if (located === null) throw new Error("No browser found. Run scripts/bootstrap --browser.");
  const browser = await chromium.launch({ executablePath: located.path, args: ["--no-sandbox", "--hide-scrollbars"] });
  try {
    const { url, demo_url } = await readStart(service);
    const context = await browser.newContext({
      baseURL: url,
      viewport: VIEWPORT,
      locale: "en-GB",
      colorScheme: "light",
      reducedMotion: "reduce",
      userAgent:
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    mkdirSync(PICTURES, { recursive: true });
    await takeScreenshots(context, demo_url);
  } finally {
    await browser.close();
    service.kill("SIGTERM");
    await once(service, "exit");
    rmSync(dataDir, { recursive: true });
  }
}

/** Uses no settings of this machine, so that no other model or database gets into the screenshots. */
function startService(dataDir: string): ChildProcess {
  const { PATH, HOME, ERRAND_BROWSER_PATH } = process.env;
  const env = { PATH, HOME, ...(ERRAND_BROWSER_PATH === undefined ? {} : { ERRAND_BROWSER_PATH }) };
  const args = ["src/main.ts", "start", "--json", "--port", "0", "--data-dir", dataDir];
  return spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "ignore"] });
}

async function readStart({ stdout }: ChildProcess): Promise<Started> {
  if (stdout === null) throw new Error("The service has no standard output.");
  for await (const line of createInterface(stdout)) {
    if (line.startsWith("{")) return JSON.parse(line) as Started;
  }
  throw new Error("The service did not start.");
}

async function takeScreenshots(context: BrowserContext, demoUrl: string): Promise<void> {
  const page = await context.newPage();
  await claim(page);
  const { connectionId } = await runFirstErrand(page);
  const common = { connection_id: connectionId, start_url: new URL("/products", demoUrl).href };
  const executionId = await run(page, { ...common, ...WITH_DATA });
  await page.clock.setFixedTime(Date.now() + LATER_MS);
  await takeConsole(page, executionId);
  await takeSignIn(await context.newPage(), demoUrl);
}

async function claim(page: Page): Promise<void> {
  await page.goto("/console");
  await page.getByLabel("Email address").fill(EMAIL);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
}

async function runFirstErrand(page: Page): Promise<{ connectionId: string }> {
  await page.getByRole("button", { name: "Run an errand on the demo shop" }).click();
  await page.getByRole("heading", { name: "Verified" }).waitFor();
  const id = new URL(page.url()).searchParams.get("errand");
  const { connection } = await call(page, "GET", `/executions/${id}`);
  return { connectionId: connection.id };
}

async function run(page: Page, body: object): Promise<string> {
  const { execution } = await call(page, "POST", "/executions", body);
  while ((await call(page, "GET", `/executions/${execution.id}`)).execution.terminal === null) {
    await new Promise((resolve) => setTimeout(resolve, DONE_POLL_MS));
  }
  return execution.id;
}

async function takeConsole(page: Page, executionId: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`/console/executions/${executionId}`);
    await page.getByRole("heading", { name: "Result" }).waitFor();
    await take(page, `console-${colorScheme}`);
  }
}

/** As a user sees it who comes from an application. */
async function takeSignIn(page: Page, demoUrl: string): Promise<void> {
  const redirectUri = "http://127.0.0.1:9999/callback";
  const { application } = await call(page, "POST", "/applications", {
    name: "Larder",
    type: "public",
    redirect_uris: [redirectUri],
    home_url: `${demoUrl}/`,
    sign_in_url: `${demoUrl}/sign-in`,
  });
  const link = { response_type: "code", client_id: application.id, redirect_uri: redirectUri };
  await page.goto(`/v1/oauth/authorize?${new URLSearchParams(link)}`);
  await page.getByRole("button", { name: "Allow" }).click();
  const picture = page.locator("#picture");
  await picture.waitFor();
  await waitUntilDrawn(page);
  await take(page, "live-sign-in");
}

/** The canvas is white until the first frame is drawn on it. */
async function waitUntilDrawn(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const canvas = document.querySelector("#picture");
    if (!(canvas instanceof HTMLCanvasElement) || canvas.width === 0) return false;
    const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    return new Set(data).size > 100;
  });
}

/** WebP takes a third of the size. Playwright does not support it, but the browser does. */
async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState("networkidle").catch(() => {});
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode().catch(() => {}))));
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  const picture = Buffer.from(data, "base64");
  writeFileSync(join(PICTURES, `${name}.webp`), picture);
  console.log(`docs/pictures/${name}.webp, ${Math.round(picture.byteLength / 1024)} kB`);
}

// biome-ignore lint/suspicious/noExplicitAny: responses of various shapes, each read in one place
async function call(page: Page, method: "GET" | "POST", path: string, body?: object): Promise<any> {
  const response = await page.request.fetch(`/console/api${path}`, {
    method,
    headers: { "x-errand-console": "1" },
    ...(body === undefined ? {} : { data: body }),
  });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return response.json();
}

await main();
