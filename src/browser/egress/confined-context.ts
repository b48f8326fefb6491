import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { EgressProxy } from "./egress-proxy.ts";
import { HANDSHAKE_URL } from "./proxy-response.ts";

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
  const context = await browser.newContext({ ...options, proxy: { server: proxy.url, bypass: PROXY_LOOPBACK } });
  try {
    return { context, page: await authenticate(context, proxy) };
  } catch (error) {
    await context.close();
    throw error;
  }
}

async function authenticate(context: BrowserContext, { username, password }: EgressProxy): Promise<Page> {
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
    page.waitForResponse(HANDSHAKE_URL),
    page.evaluate((url) => fetch(url, { mode: "no-cors" }), HANDSHAKE_URL),
  ]);
  const status = answer.status();
  if (status !== 200) throw new Error(`The proxy of this run answered ${status}.`);
  await session.detach();
  return page;
}

/** Nothing listens here: what does not belong to a run's context has no way out at all. */
const UNREACHABLE_PROXY = "http://127.0.0.1:1";

/** By default Chromium reaches loopback and link-local addresses around its proxy; this takes the exception back. */
const PROXY_LOOPBACK = "<-loopback>";

/**
 * What makes the proxy the only way out. Everything that speaks HTTP goes to the proxy by itself; these close what
 * does not. No `--disable-features` here: a second one would undo Playwright's.
 */
export const EGRESS_ARGUMENTS: readonly string[] = [
  // HTTP/3 is UDP and would need no proxy.
  "--disable-quic",
  // WebRTC sends UDP around any HTTP proxy. Headless shells read the first, full Chromium and Chrome the second.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  // Names are the proxy's business. A browser that resolves none cannot prefetch, or tell a name server what it reads.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-first-run",
];

/** A browser that reaches nothing until a context brings its proxy. */
export const NO_EGRESS_ARGUMENTS: readonly string[] = [
  ...EGRESS_ARGUMENTS,
  `--proxy-server=${UNREACHABLE_PROXY}`,
  `--proxy-bypass-list=${PROXY_LOOPBACK}`,
];
