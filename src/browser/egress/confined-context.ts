import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { EgressProxy } from "./egress-proxy.ts";
import { HELLO_URL } from "./hello.ts";
import { PROXY_LOOPBACK_TOO } from "./launch-arguments.ts";

/** `proxy` is ours to set; `httpCredentials` would answer the proxy's question in our place, and wrongly. */
export type ConfinedContextOptions = Omit<BrowserContextOptions, "proxy" | "httpCredentials">;

export interface ConfinedContext {
  readonly context: BrowserContext;
  /** Empty, and open already: it has introduced the context to its proxy. */
  readonly page: Page;
}

/**
 * A context whose only way out is this proxy. Playwright could keep the credentials, but then it intercepts every
 * request and turns the HTTP cache off for as long as the context lives. Told once, Chromium remembers them for all that
 * the context will ever ask, workers and WebSockets included.
 */
export async function openConfinedContext(
  browser: Browser,
  proxy: EgressProxy,
  options: ConfinedContextOptions = {},
): Promise<ConfinedContext> {
  const context = await browser.newContext({ ...options, proxy: { server: proxy.url, bypass: PROXY_LOOPBACK_TOO } });
  try {
    return { context, page: await introduce(context, proxy) };
  } catch (error) {
    await context.close();
    throw error;
  }
}

async function introduce(context: BrowserContext, { username, password }: EgressProxy): Promise<Page> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  session.on("Fetch.requestPaused", ({ requestId }) => {
    session.send("Fetch.continueRequest", { requestId }).catch(() => {});
  });
  let isAsked = false;
  session.on("Fetch.authRequired", ({ requestId }) => {
    // Asked twice means refused: without an end to it the browser would try on and on.
    const response = isAsked ? ("CancelAuth" as const) : ("ProvideCredentials" as const);
    isAsked = true;
    const authChallengeResponse = { response, username, password };
    session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => {});
  });
  await session.send("Fetch.enable", { handleAuthRequests: true });
  // Not by opening it: an address that was opened counts as a place with storage of its own.
  const [answer] = await Promise.all([
    page.waitForResponse(HELLO_URL),
    page.evaluate((url) => fetch(url, { mode: "no-cors" }), HELLO_URL),
  ]);
  const status = answer.status();
  if (status !== 200) throw new Error(`The proxy of this run answered ${status}.`);
  await session.detach();
  return page;
}
