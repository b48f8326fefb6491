import type { Browser } from "playwright-core";
import { isWrite } from "./network-record.ts";

/** A request that may change something, and that no page is told of. */
export interface UntoldWrite {
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
  /** Answers what to call when the request is over. */
  readonly onUntold: (write: UntoldWrite) => (status: number | null, failure: string | null) => void;
}

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
  readonly responseErrorReason?: string | undefined;
}

/** Only these can be sent without anybody being told. Everything else need not wait for us. */
const SILENT_TYPES = ["Ping", "XHR", "Fetch"] as const;

/**
 * Stands where requests leave the browser. What a page sends while it is being left (beacons, `keepalive`) shows up in
 * no page's events and passes by Playwright's `route`; here it is seen, and can be held back. It sees the whole browser,
 * so it is only for one that serves a single session.
 */
export async function tapWrites(browser: Browser, { holdsBack, onUntold }: TapOptions): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const answering = new Map<string, (status: number | null, failure: string | null) => void>();

  async function decide(paused: Paused): Promise<void> {
    const { requestId, request, networkId, responseStatusCode, responseErrorReason } = paused;
    const answer = answering.get(requestId);
    if (answer !== undefined) {
      answering.delete(requestId);
      answer(responseStatusCode ?? null, responseErrorReason ?? null);
    }
    if (answer !== undefined || !isWrite(request)) return await resume(requestId);
    const onAnswer = networkId === undefined ? onUntold(describe(paused)) : null;
    if (holdsBack) {
      onAnswer?.(null, null);
      // Leaves the page and what was typed into it as they are; other reasons put an error page in its place.
      await session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    } else {
      if (onAnswer !== null) answering.set(requestId, onAnswer);
      await resume(requestId, { interceptResponse: onAnswer !== null });
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

function describe({ request: { method, url, headers, postData }, resourceType }: Paused): UntoldWrite {
  const from = headers["Referer"] ?? headers["Origin"] ?? null;
  return { method, url, resourceType: resourceType === "Ping" ? "ping" : "fetch", body: postData ?? null, from };
}
