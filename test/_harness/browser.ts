import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findBrowserPath } from "./browser-path.ts";
import { PASSWORD } from "./oauth-flow.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A real browser, shared by the test files of one worker. */
export interface TestBrowser extends AsyncDisposable {
  /** A new visitor with no cookies. */
  openPage(options?: BrowserContextOptions): Promise<TestPage>;
}

export interface TestPage extends AsyncDisposable {
  page: Page;
  /** Console errors, and errors thrown by pages. */
  complaints: string[];
  /** Every URL that was requested. */
  requests: string[];
}

export async function startTestBrowser(): Promise<TestBrowser> {
  const browser = await shareBrowser();
  const contexts = new Set<BrowserContext>();
  return {
    async openPage(options) {
      const opened = await openPage(browser, options);
      contexts.add(opened.page.context());
      return opened;
    },
    async [Symbol.asyncDispose]() {
      for (const context of contexts) await context.close();
    },
  };
}

let launching: Promise<Browser> | null = null;

/** Playwright ends it with this process. */
async function shareBrowser(): Promise<Browser> {
  launching ??= findBrowserPath().then((executablePath) => chromium.launch({ executablePath, args: FLAGS }));
  const browser = await launching.catch((error) => {
    launching = null;
    throw error;
  });
  if (browser.isConnected()) return browser;
  launching = null;
  return shareBrowser();
}

async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<TestPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(50_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  return { page, complaints, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** From the sign-in page: creates an account and signs in. */
export async function signUp(page: Page, email: string): Promise<void> {
  await page.getByRole("link", { name: "Create an account" }).click();
  await fillIn(page, email, PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByText("Now sign in").waitFor();
  await signIn(page, email);
}

export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await fillIn(page, email, password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function fillIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
}

/** A real HTTP server on a loopback port, such as an application's callback or another site. */
export interface LoopbackServer extends AsyncDisposable {
  url: string;
  port: number;
}

export async function startLoopbackServer(listener: RequestListener, host = "127.0.0.1"): Promise<LoopbackServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An application's `/callback` on a loopback port, and the requests that arrived there. */
export interface CallbackServer extends LoopbackServer {
  redirectUri: string;
  /** Every URL that was requested, oldest first. */
  arrived: URL[];
}

export async function startCallbackServer(host?: string): Promise<CallbackServer> {
  const arrived: URL[] = [];
  const server = await startLoopbackServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    if (url.pathname === "/callback") arrived.push(url);
    response.setHeader("content-type", "text/html").end("<title>Welcome back</title>Welcome back");
  }, host);
  return { ...server, redirectUri: `${server.url}/callback`, arrived };
}
