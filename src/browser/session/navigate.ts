import type { Page, Response } from "playwright-core";
import { describeError } from "../../lib/errors.ts";
import { hostOfUrl } from "../../lib/hosts.ts";
import { withTimeout } from "../../lib/waiting.ts";
import { isFromProxy } from "../egress/proxy-response.ts";
import { type Mark, NavigationFailed, PolicyRefusal } from "./browser-session.ts";
import type { SessionContext } from "./session-context.ts";

/** Opens a URL in the current tab and waits for the response. Returns the status, or null without a document. */
export async function navigate(context: SessionContext, url: string, signal: AbortSignal): Promise<number | null> {
  const { policy, timeline } = context;
  policy.assertAllowed(url);
  const since = timeline.mark();
  const outcome = await openUrl(context, url, signal).catch((error: unknown) => {
    if (context.lifeline.isLost || signal.aborted) throw error;
    return explainFailure(context, since, url, error);
  });
  if (outcome !== null && typeof outcome !== "number") await assertFromHost(context, outcome);
  return typeof outcome === "number" ? outcome : (outcome?.status() ?? null);
}

async function openUrl(
  context: SessionContext,
  url: string,
  signal: AbortSignal,
  mayRepeat = true,
): Promise<Response | null> {
  const { tabs, lifeline, limits } = context;
  const { page } = await tabs.current();
  try {
    // Wait for "commit" and not for "load": a document that opens a dialog does not load until it is answered.
    return await lifeline.unlessLost(page.goto(url, { waitUntil: "commit", timeout: limits.navigationMs }), signal);
  } catch (error) {
    if (context.network.isDocumentPending) await stopLoading(page);
    // The error page of an earlier navigation can arrive late and interrupt this one.
    if (!mayRepeat || !/interrupted by another navigation to "chrome-error:/.test(describeError(error))) throw error;
  }
  return openUrl(context, url, signal, false);
}

/** Goes back in the history of the tab. */
export async function navigateBack(context: SessionContext, signal: AbortSignal): Promise<void> {
  const { timeline, tabs, lifeline, limits, browserContext } = context;
  const since = timeline.mark();
  const { page } = await tabs.current();
  await lifeline.unlessLost(assertHasHistory(page), signal);
  const opening = page.goBack({ waitUntil: "commit", timeout: limits.navigationMs });
  await lifeline.unlessLost(opening, signal).catch((error: unknown) => {
    if (lifeline.isLost || signal.aborted) throw error;
    return explainFailure(context, since, page.url(), error);
  });

  async function assertHasHistory(current: Page): Promise<void> {
    const session = await browserContext.newCDPSession(current);
    const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
    await session.detach();
    const previous = entries[currentIndex - 1];
    if (previous === undefined || hostOfUrl(previous.url) === null) {
      throw new NavigationFailed("This tab has no previous page.");
    }
  }
}

/** Explains a navigation that failed for Playwright: a response without a document, or a failure with its reason. */
function explainFailure(context: SessionContext, since: Mark, url: string, error: unknown): number | null {
  const message = describeError(error);
  if (message.includes("Download is starting")) return null;
  const [refused] = context.refused.since(since);
  const document = context.network.since(since).findLast(({ isNavigation }) => isNavigation);
  if (refused !== undefined && document !== undefined && context.refused.has(document.url)) throw refuseHost(refused);
  // The page navigated on by itself, or the response had no content.
  if (document !== undefined && document.status !== null) return document.status;
  throw new NavigationFailed(`${url} could not be opened: ${reasonOf(message)}.`, { cause: error });
}

/** The proxy responds in place of hosts that it refuses or cannot reach. */
async function assertFromHost({ refused }: SessionContext, response: Response): Promise<void> {
  const target = hostOfUrl(response.url());
  if (target !== null && refused.has(response.url())) throw refuseHost(`${target.host}:${target.port}`);
  if (!isFromProxy(response.headers())) return;
  const text = await response.text().catch(() => "");
  throw new NavigationFailed(text.trim() || `${response.url()} could not be reached.`);
}

function refuseHost(host: string): PolicyRefusal {
  return new PolicyRefusal(`${host} is not on the list of allowed hosts.`);
}

const REASONS: readonly [pattern: RegExp, reason: string][] = [
  [/Timeout .*exceeded/, "it did not respond in time"],
  [/ERR_TUNNEL_CONNECTION_FAILED|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION_REFUSED/, "the host cannot be reached"],
  [/ERR_(CERT|SSL)_/, "its certificate or encryption is invalid"],
  [/ERR_TOO_MANY_REDIRECTS/, "it redirects in a loop"],
  [/ERR_(CONNECTION_|EMPTY_RESPONSE|INVALID_HTTP_RESPONSE|INCOMPLETE)/, "the host closed the connection"],
  [/ERR_ABORTED|interrupted/, "the navigation was aborted"],
];

function reasonOf(message: string): string {
  const [, reason] = REASONS.find(([pattern]) => pattern.test(message)) ?? [];
  const [code = "unknown reason"] = /net::\w+/.exec(message) ?? [];
  return reason ?? code;
}

const STOP_TIMEOUT_MS = 2_000;

/**
 * Cancels a pending document. While a document is pending Chromium does not run script in the page, so the page could be
 * neither observed nor acted on. The current page stays.
 */
export async function stopLoading(page: Page): Promise<void> {
  await withTimeout(stop(page), STOP_TIMEOUT_MS).catch(() => {});
}

async function stop(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.stopLoading");
  await session.detach();
}
