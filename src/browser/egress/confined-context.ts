import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import type { EgressProxy } from "./egress-proxy.ts";
import { HELLO_URL } from "./hello.ts";
import { PROXY_LOOPBACK_TOO } from "./launch-arguments.ts";

/** `proxy` is ours to set; `httpCredentials` would answer the proxy's question in our place, and wrongly. */
export type ConfinedContextOptions = Omit<BrowserContextOptions, "proxy" | "httpCredentials">;

/**
 * A context whose only way out is this proxy. Playwright could keep the credentials, but then it intercepts every
 * request and turns the HTTP cache off for as long as the context lives. Told once, Chromium remembers them for all that
 * the context will ever ask, workers and WebSockets included.
 */
export async function openConfinedContext(
  browser: Browser,
  proxy: EgressProxy,
  options: ConfinedContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, proxy: { server: proxy.url, bypass: PROXY_LOOPBACK_TOO } });
  try {
    await introduce(context, proxy);
    return context;
  } catch (error) {
    await context.close();
    throw error;
  }
}

async function introduce(context: BrowserContext, { username, password }: EgressProxy): Promise<void> {
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
  await page.close();
}
