import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { EgressProxy } from "./egress-proxy.ts";
import { HANDSHAKE_URL } from "./proxy-response.ts";

/** `proxy` is set here; `httpCredentials` would be sent to the proxy in place of its own credentials. */
export type ConfinedContextOptions = Omit<BrowserContextOptions, "proxy" | "httpCredentials">;

export interface ConfinedContext {
  readonly context: BrowserContext;
  /** An empty page, already open: it authenticated the context at its proxy. */
  readonly page: Page;
}

/**
 * Opens a context whose only network access is this proxy. Playwright could supply the credentials, but then it
 * intercepts every request and disables the HTTP cache for the lifetime of the context. Once authenticated, Chromium
 * remembers the credentials for all requests of the context, including those of workers and WebSockets. What every page
 * needs is prepared before the first one is open, because then it takes no messages to that page.
 */
export async function openConfinedContext(
  browser: Browser,
  proxy: EgressProxy,
  options: ConfinedContextOptions = {},
  prepare: (context: BrowserContext) => Promise<void> = async () => {},
): Promise<ConfinedContext> {
  const context = await browser.newContext({ ...options, proxy: { server: proxy.url, bypass: PROXY_LOOPBACK } });
  try {
    await prepare(context);
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
  let isChallenged = false;
  session.on("Fetch.authRequired", ({ requestId }) => {
    // A second challenge means that the credentials were rejected. Cancel, or the browser would retry forever.
    const response = isChallenged ? ("CancelAuth" as const) : ("ProvideCredentials" as const);
    isChallenged = true;
    const authChallengeResponse = { response, username, password };
    session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => {});
  });
  await session.send("Fetch.enable", { handleAuthRequests: true });
  // By fetch instead of a navigation, which would create an origin with its own storage.
  const [response] = await Promise.all([
    page.waitForResponse(HANDSHAKE_URL),
    page.evaluate((url) => fetch(url, { mode: "no-cors" }), HANDSHAKE_URL),
  ]);
  const status = response.status();
  if (status !== 200) throw new Error(`The browser could not authenticate at its proxy: status ${status}.`);
  await session.detach();
  return page;
}

/** Nothing listens here, so traffic that does not belong to a confined context goes nowhere. */
const UNREACHABLE_PROXY = "http://127.0.0.1:1";

/** By default Chromium bypasses its proxy for loopback and link-local addresses. This bypass rule turns that off. */
const PROXY_LOOPBACK = "<-loopback>";

/**
 * Switches that close every way around the proxy. HTTP uses the proxy by itself; these stop what does not. No
 * `--disable-features` here: a second one would override Playwright's.
 */
export const EGRESS_ARGUMENTS: readonly string[] = [
  // HTTP/3 runs over UDP and would bypass the proxy.
  "--disable-quic",
  // WebRTC sends UDP past any HTTP proxy. Headless shells read the first switch, full Chromium and Chrome the second.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  // The proxy resolves names. A browser that resolves none cannot leak them to a name server.
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-first-run",
];

/** The browser itself reaches nothing; only a context with its own proxy does. */
export const NO_EGRESS_ARGUMENTS: readonly string[] = [
  ...EGRESS_ARGUMENTS,
  `--proxy-server=${UNREACHABLE_PROXY}`,
  `--proxy-bypass-list=${PROXY_LOOPBACK}`,
];
