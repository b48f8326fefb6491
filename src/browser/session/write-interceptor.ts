import type { Browser, BrowserContext } from "playwright-core";
import { isFromProxy } from "../egress/proxy-response.ts";
import { isWrite } from "./network-record.ts";

/** A request that may change something, at the moment it leaves the browser. */
export interface InterceptedWrite {
  /** Whether the page, and so Playwright, gets events of it. */
  readonly isVisibleToPage: boolean;
  readonly method: string;
  readonly url: string;
  readonly resourceType: string;
  readonly body: string | null;
  readonly contentType: string | null;
  /** The URL of the page that sends it, if known. */
  readonly from: string | null;
}

interface InterceptOptions {
  /** Whether requests that may change something are blocked. */
  readonly isBlocking: boolean;
  readonly onWrite: (write: InterceptedWrite) => OnResponse;
}

/** Called when the request is over. */
export type OnResponse = (outcome: WriteOutcome) => void;

interface WriteOutcome {
  readonly status: number | null;
  readonly failure: string | null;
  /** Whether the proxy responded in place of the host. */
  readonly isFromProxy: boolean;
}

/** The used part of DevTools' `Fetch.requestPaused`. With `interceptResponse` it comes a second time, with the response. */
interface PausedRequest {
  readonly requestId: string;
  /** Missing when no page gets events of it. */
  readonly networkId?: string | undefined;
  readonly resourceType: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly postData?: string | undefined;
  };
  readonly responseStatusCode?: number | undefined;
  readonly responseHeaders?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly responseErrorReason?: string | undefined;
}

/** Only these types can be sent without an event for the page. Others are not paused. */
const SILENT_TYPES = ["Ping", "XHR", "Fetch"] as const;

/**
 * Intercepts requests at the browser level. What a page sends while it is being left (beacons, `keepalive`) appears in no
 * page event and bypasses Playwright's `route`; here it is seen and can be blocked. This covers the whole browser, so it
 * is only for a browser that serves a single session.
 */
export async function interceptWrites(browser: Browser, { isBlocking, onWrite }: InterceptOptions): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const awaitingResponse = new Map<string, OnResponse>();

  async function handle(paused: PausedRequest): Promise<void> {
    const { requestId, request } = paused;
    const onResponse = awaitingResponse.get(requestId);
    if (onResponse !== undefined) {
      awaitingResponse.delete(requestId);
      onResponse(readOutcome(paused));
      await resume(requestId);
    } else if (!isWrite(request)) {
      await resume(requestId);
    } else if (isBlocking) {
      onWrite(describeWrite(paused))({ status: null, failure: "Aborted", isFromProxy: false });
      // "Aborted" keeps the page and its fields as they are; other reasons show an error page.
      await session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    } else {
      awaitingResponse.set(requestId, onWrite(describeWrite(paused)));
      await resume(requestId, { interceptResponse: true });
    }
  }

  async function resume(requestId: string, options: { interceptResponse?: boolean } = {}): Promise<void> {
    await session.send("Fetch.continueRequest", { requestId, ...options });
  }

  session.on("Fetch.requestPaused", (paused) => {
    // The page or the browser may be gone by now.
    handle(paused).catch(() => {});
  });
  const patterns = isBlocking ? [{ urlPattern: "*" }] : SILENT_TYPES.map((resourceType) => ({ resourceType }));
  await session.send("Fetch.enable", { patterns });
}

function readOutcome({ responseStatusCode, responseHeaders = [], responseErrorReason }: PausedRequest): WriteOutcome {
  const headers = Object.fromEntries(responseHeaders.map(({ name, value }) => [name.toLowerCase(), value]));
  if (isFromProxy(headers)) return { status: null, failure: null, isFromProxy: true };
  return { status: responseStatusCode ?? null, failure: responseErrorReason ?? null, isFromProxy: false };
}

function describeWrite({
  request: { method, url, headers, postData },
  resourceType,
  networkId,
}: PausedRequest): InterceptedWrite {
  return {
    isVisibleToPage: networkId !== undefined,
    method,
    url,
    resourceType: resourceType === "Ping" ? "ping" : "fetch",
    body: postData ?? null,
    contentType: headers["Content-Type"] ?? headers["content-type"] ?? null,
    from: headers["Referer"] ?? headers["Origin"] ?? null,
  };
}

/** WebSocket frames are not requests, so a read-only page gets no WebSockets at all. */
export async function blockWebSockets(context: BrowserContext): Promise<void> {
  await context.routeWebSocket(/.*/, (socket) => socket.close({ code: 1008, reason: "Read-only access." }));
}

/**
 * Blocks requests that may change something in a browser that other sessions use as well, where only this context may be
 * touched. It disables the HTTP cache, and does not see what a page sends while it is being left.
 */
export async function blockWrites(context: BrowserContext): Promise<void> {
  await context.route("**", (route) => {
    return isWrite({ method: route.request().method() }) ? route.abort("aborted") : route.continue();
  });
}
