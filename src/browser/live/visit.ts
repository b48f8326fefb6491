import type { BrowserContext, Page, Response } from "playwright-core";
import { describeError } from "../../lib/errors.ts";
import { hostOfUrl } from "../../lib/hosts.ts";
import { abortable, withTimeout } from "../../lib/waiting.ts";
import { isFromProxy } from "../egress/proxy-response.ts";
import { createPageObserver, type PageObserver } from "../observation/page-observer.ts";
import { type SiteView, toSiteView } from "../observation/site-view.ts";
import { NavigationFailed } from "../session/browser-session.ts";
import { stopLoading } from "../session/navigate.ts";
import {
  asksForHttpAuthentication,
  HTTP_AUTHENTICATION,
  isDocumentRequest,
  type ProxyFailures,
} from "./failure-messages.ts";

const LOAD_MS = 8_000;
/** Single-page applications send more requests after they have loaded. Some never stop. */
const IDLE_MS = 3_000;
const VIEW_MS = 15_000;
const LATE_RESPONSE_MS = 500;
const TIMED_OUT = /Timeout .*exceeded/;

/** The site responded, but not with a page, so the tab keeps what it showed before. */
export class NoPageSent extends NavigationFailed {}

interface VisitOptions {
  readonly failures: ProxyFailures;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Opens a URL in a new tab and views it. */
export async function visitIn(context: BrowserContext, url: string, options: VisitOptions): Promise<SiteView> {
  const page = await abortable(context.newPage(), options.signal);
  let status: number | null = null;
  page.on("response", (response) => {
    if (isDocumentRequest(page, response.request())) status = response.status();
  });
  await openUrl(page, url, options);
  await waitForLoad(page, options.signal);
  return viewSite({ observer: createPageObserver(page), status: () => status }, options.signal);
}

/** Opens a URL up to the first byte of the document. Error messages are for the person and never contain the URL. */
export async function openUrl(page: Page, url: string, { failures, timeoutMs, signal }: VisitOptions): Promise<void> {
  if (hostOfUrl(url) === null) throw new NavigationFailed("Only http and https URLs can be opened.");
  const rejected = Promise.withResolvers<NavigationFailed>();
  const onResponse = (response: Response) => {
    const failure = isDocumentRequest(page, response.request()) ? findFailure(response) : null;
    if (failure !== null) rejected.resolve(failure);
  };
  const onDownload = () => rejected.resolve(fileSent());
  page.on("response", onResponse).on("download", onDownload);
  try {
    const response = await abortable(goTo(page, url, timeoutMs), signal);
    if (response === null || !isFromProxy(response.headers())) return;
    throw new NavigationFailed(failures.describeResponse(response.url()));
  } catch (error) {
    if (error instanceof NavigationFailed || signal.aborted) throw error;
    const message = describeError(error);
    // The page has navigated on by itself, which is fine.
    if (/interrupted by another navigation to "https?:/.test(message)) return;
    // At once: the next URL may be opened meanwhile.
    if (TIMED_OUT.test(message)) await stopLoading(page);
    // The failed navigation may be reported before the response that caused it.
    throw (await withTimeout(rejected.promise, LATE_RESPONSE_MS)) ?? toFailure(url, message, failures);
  } finally {
    page.off("response", onResponse).off("download", onDownload);
  }
}

async function goTo(page: Page, url: string, timeoutMs: number, mayRepeat = true): Promise<Response | null> {
  try {
    return await page.goto(url, { waitUntil: "commit", timeout: timeoutMs });
  } catch (error) {
    // The error page of an earlier navigation can arrive late and interrupt this one.
    if (!mayRepeat || !/interrupted by another navigation to "chrome-error:/.test(describeError(error))) throw error;
  }
  return goTo(page, url, timeoutMs, false);
}

/** Recognises by its headers a response that is not a page. */
function findFailure(response: Response): NavigationFailed | null {
  if (asksForHttpAuthentication(response)) return new NavigationFailed(HTTP_AUTHENTICATION);
  return /^\s*attachment\b/i.test(response.headers()["content-disposition"] ?? "") ? fileSent() : null;
}

function fileSent(): NoPageSent {
  return new NoPageSent("The site sent a file instead of a page.");
}

function toFailure(url: string, message: string, failures: ProxyFailures): NavigationFailed {
  if (/Download is starting/.test(message)) return fileSent();
  if (/ERR_ABORTED|ERR_HTTP_RESPONSE_CODE_FAILURE/.test(message)) {
    return new NoPageSent("The site responded without a page.");
  }
  if (TIMED_OUT.test(message)) return new NavigationFailed("The site does not respond.");
  return new NavigationFailed(failures.describeError(url, message));
}

/** Waits until the page has loaded and its requests are done, for a limited time. */
export async function waitForLoad(page: Page, signal: AbortSignal): Promise<void> {
  await abortable(
    withTimeout(
      page.waitForLoadState("load").catch(() => {}),
      LOAD_MS,
    ),
    signal,
  );
  await abortable(
    withTimeout(
      page.waitForLoadState("networkidle").catch(() => {}),
      IDLE_MS,
    ),
    signal,
  );
}

export async function viewSite(
  { observer, status }: { observer: PageObserver; status: () => number | null },
  signal: AbortSignal,
): Promise<SiteView> {
  const limit = AbortSignal.timeout(VIEW_MS);
  try {
    const view = await observer.observe(AbortSignal.any([signal, limit]));
    return toSiteView(view, status());
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error;
    throw new NavigationFailed("The page does not respond, so it cannot be read.");
  }
}
