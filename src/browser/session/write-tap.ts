import type { Browser } from "playwright-core";
import { isWrite } from "./network-record.ts";
import { isFromProxy, NO_ANSWER_FAILURE } from "./network-recorder.ts";

/** A request that may change something, at the moment it leaves. */
export interface TappedWrite {
  /** Whether a page is told of it, and so Playwright. */
  readonly isTold: boolean;
  readonly method: string;
  readonly url: string;
  readonly resourceType: string;
  readonly body: string | null;
  /** The address of the page that sends it, as far as it says. */
  readonly from: string | null;
}

export interface TapOptions {
  /** Whether anything that may change something is kept in the browser. */
  readonly holdsBack: boolean;
  readonly onWrite: (write: TappedWrite) => OnAnswer;
}

/** To be called when the request is over. */
export type OnAnswer = (status: number | null, failure: string | null) => void;

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
export async function tapWrites(browser: Browser, { holdsBack, onWrite }: TapOptions): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const answering = new Map<string, OnAnswer>();

  async function decide(paused: Paused): Promise<void> {
    const { requestId, request } = paused;
    const onAnswer = answering.get(requestId);
    if (onAnswer !== undefined) {
      answering.delete(requestId);
      onAnswer(...readAnswer(paused));
      await resume(requestId);
    } else if (!isWrite(request)) {
      await resume(requestId);
    } else if (holdsBack) {
      onWrite(describe(paused))(null, "Aborted");
      // Leaves the page and what was typed into it as they are; other reasons put an error page in its place.
      await session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    } else {
      answering.set(requestId, onWrite(describe(paused)));
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

function readAnswer({
  responseStatusCode,
  responseHeaders = [],
  responseErrorReason,
}: Paused): [status: number | null, failure: string | null] {
  const headers = Object.fromEntries(responseHeaders.map(({ name, value }) => [name.toLowerCase(), value]));
  if (isFromProxy(headers)) return [null, NO_ANSWER_FAILURE];
  return [responseStatusCode ?? null, responseErrorReason ?? null];
}

function describe({ request: { method, url, headers, postData }, resourceType, networkId }: Paused): TappedWrite {
  return {
    isTold: networkId !== undefined,
    method,
    url,
    resourceType: resourceType === "Ping" ? "ping" : "fetch",
    body: postData ?? null,
    from: headers["Referer"] ?? headers["Origin"] ?? null,
  };
}
