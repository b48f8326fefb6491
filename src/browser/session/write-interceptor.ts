import type { Browser, BrowserContext } from "playwright-core";
import { isFromProxy } from "../egress/proxy-response.ts";
import { isWrite, NO_RESPONSE_FAILURE } from "./network-record.ts";

/** A request that may change something, at the moment it leaves. */
export interface InterceptedWrite {
  /** Whether a page is told of it, and so Playwright. */
  readonly isTold: boolean;
  readonly method: string;
  readonly url: string;
  readonly resourceType: string;
  readonly body: string | null;
  /** The address of the page that sends it, as far as it says. */
  readonly from: string | null;
}

interface InterceptOptions {
  /** Whether anything that may change something is kept in the browser. */
  readonly holdsBack: boolean;
  readonly onWrite: (write: InterceptedWrite) => OnResponse;
}

/** To be called when the request is over. */
export type OnResponse = (status: number | null, failure: string | null) => void;

/** What of DevTools' `Fetch.requestPaused` is used. It comes a second time, with the answer, if that was asked for. */
interface Paused {
  readonly requestId: string;
  /** Missing when no page is told. */
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

/** Only these can be sent without anybody being told. Everything else need not wait for us. */
const SILENT_TYPES = ["Ping", "XHR", "Fetch"] as const;

/**
 * Stands where requests leave the browser. What a page sends while it is being left (beacons, `keepalive`) shows up in
 * no page's events and passes by Playwright's `route`; here it is seen, and can be held back. It sees the whole browser,
 * so it is only for one that serves a single session.
 */
export async function interceptWrites(browser: Browser, { holdsBack, onWrite }: InterceptOptions): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const answering = new Map<string, OnResponse>();

  async function decide(paused: Paused): Promise<void> {
    const { requestId, request } = paused;
    const onAnswer = answering.get(requestId);
    if (onAnswer !== undefined) {
      answering.delete(requestId);
      onAnswer(...readResponse(paused));
      await resume(requestId);
    } else if (!isWrite(request)) {
      await resume(requestId);
    } else if (holdsBack) {
      onWrite(describeWrite(paused))(null, "Aborted");
      // Leaves the page and what was typed into it as they are; other reasons put an error page in its place.
      await session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    } else {
      answering.set(requestId, onWrite(describeWrite(paused)));
      await resume(requestId, { interceptResponse: true });
    }
  }

  async function resume(requestId: string, options: { interceptResponse?: boolean } = {}): Promise<void> {
    await session.send("Fetch.continueRequest", { requestId, ...options });
  }

  session.on("Fetch.requestPaused", (paused) => {
    // It may have gone with its page in the meantime, or the browser has.
    decide(paused).catch(() => {});
  });
  const patterns = holdsBack ? [{ urlPattern: "*" }] : SILENT_TYPES.map((resourceType) => ({ resourceType }));
  await session.send("Fetch.enable", { patterns });
}

function readResponse({
  responseStatusCode,
  responseHeaders = [],
  responseErrorReason,
}: Paused): [status: number | null, failure: string | null] {
  const headers = Object.fromEntries(responseHeaders.map(({ name, value }) => [name.toLowerCase(), value]));
  if (isFromProxy(headers)) return [null, NO_RESPONSE_FAILURE];
  return [responseStatusCode ?? null, responseErrorReason ?? null];
}

function describeWrite({
  request: { method, url, headers, postData },
  resourceType,
  networkId,
}: Paused): InterceptedWrite {
  return {
    isTold: networkId !== undefined,
    method,
    url,
    resourceType: resourceType === "Ping" ? "ping" : "fetch",
    body: postData ?? null,
    from: headers["Referer"] ?? headers["Origin"] ?? null,
  };
}

/** Frames of a WebSocket are no requests: a page that may only read gets none at all. */
export async function blockWebSockets(context: BrowserContext): Promise<void> {
  await context.routeWebSocket(/.*/, (socket) => socket.close({ code: 1008, reason: "This run only reads." }));
}

/**
 * Holds back what may change something in a browser that others use too, where nothing but this context may be
 * touched. It costs the HTTP cache, and does not see what a page sends while it is being left.
 */
export async function blockWrites(context: BrowserContext): Promise<void> {
  await context.route("**", (route) => {
    return isWrite({ method: route.request().method() }) ? route.abort("aborted") : route.continue();
  });
}
