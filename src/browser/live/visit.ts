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
/** Pages that put themselves together do so with requests after they have loaded; some never stop asking. */
const IDLE_MS = 3_000;
const VIEW_MS = 15_000;
export const NO_PAGE = "The site answered without a page.";
export const FILE = "The site sent a file in place of a page.";
const LATE_RESPONSE_MS = 500;
const TIMED_OUT = /Timeout .*exceeded/;
const NO_ANSWER = "The site does not answer.";
const STANDS_STILL = "The page stands still, so it cannot be looked at.";

interface VisitOptions {
  readonly verdicts: ProxyFailures;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** In a tab of its own, up to what there is to see. */
export async function visitIn(context: BrowserContext, url: string, options: VisitOptions): Promise<SiteView> {
  const page = await abortable(context.newPage(), options.signal);
  let status: number | null = null;
  page.on("response", (response) => {
    if (isDocumentRequest(page, response.request())) status = response.status();
  });
  await openUrl(page, url, options);
  await waitForRest(page, options.signal);
  return viewSite({ observer: createPageObserver(page), status: () => status }, options.signal);
}

/** Up to the first byte of the document. Errors say in words what is wrong, and never the address. */
export async function openUrl(page: Page, url: string, { verdicts, timeoutMs, signal }: VisitOptions): Promise<void> {
  if (hostOfUrl(url) === null) throw new NavigationFailed("Only http and https addresses can be opened.");
  const answered = Promise.withResolvers<string>();
  const onResponse = (response: Response) => {
    const words = isDocumentRequest(page, response.request()) ? describeResponse(response) : null;
    if (words !== null) answered.resolve(words);
  };
  const onDownload = () => answered.resolve(FILE);
  page.on("response", onResponse).on("download", onDownload);
  try {
    const response = await abortable(goTo(page, url, timeoutMs), signal);
    if (response === null || !isFromProxy(response.headers())) return;
    throw new NavigationFailed(verdicts.describeAnswer(response.url()));
  } catch (error) {
    if (error instanceof NavigationFailed || signal.aborted) throw error;
    const message = describeError(error);
    // The page has gone on by itself, which is as good.
    if (/interrupted by another navigation to "https?:/.test(message)) return;
    // At once, and only what is still under way: somebody may open the next address meanwhile.
    if (TIMED_OUT.test(message)) await stopLoading(page);
    // That a page was given up can be told before it is told what came in its place.
    const words = await withTimeout(answered.promise, LATE_RESPONSE_MS);
    throw new NavigationFailed(words ?? describeFailure(url, message, verdicts));
  } finally {
    page.off("response", onResponse).off("download", onDownload);
  }
}

async function goTo(page: Page, url: string, timeoutMs: number, mayRepeat = true): Promise<Response | null> {
  try {
    return await page.goto(url, { waitUntil: "commit", timeout: timeoutMs });
  } catch (error) {
    // The error page of a navigation before can come late.
    if (!mayRepeat || !/interrupted by another navigation to "chrome-error:/.test(describeError(error))) throw error;
  }
  return goTo(page, url, timeoutMs, false);
}

/** What came in place of a page, as far as its headers say so: the browser itself says it in one way or another. */
function describeResponse(answer: Response): string | null {
  if (asksForHttpAuthentication(answer)) return HTTP_AUTHENTICATION;
  return /^\s*attachment\b/i.test(answer.headers()["content-disposition"] ?? "") ? FILE : null;
}

function describeFailure(url: string, message: string, verdicts: ProxyFailures): string {
  if (/Download is starting/.test(message)) return FILE;
  if (/ERR_ABORTED/.test(message)) return NO_PAGE;
  if (TIMED_OUT.test(message)) return NO_ANSWER;
  return verdicts.describeError(url, message);
}

/** As far as one can wait for it. */
export async function waitForRest(page: Page, signal: AbortSignal): Promise<void> {
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
    throw new NavigationFailed(STANDS_STILL);
  }
}
