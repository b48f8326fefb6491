import type { Page, Response } from "playwright-core";
import { describeError } from "../../lib/errors.ts";
import { hostOfUrl } from "../../lib/hosts.ts";
import { withTimeout } from "../../lib/waiting.ts";
import { isFromProxy } from "../egress/proxy-response.ts";
import { type Mark, NavigationFailed, PolicyRefusal } from "./browser-session.ts";
import type { SessionContext } from "./session-context.ts";

/** Opens an address in the current tab, up to its answer. Answers the status of the document, null when there was none. */
export async function navigate(world: SessionContext, url: string, signal: AbortSignal): Promise<number | null> {
  const { policy, timeline } = world;
  policy.assertAllowed(url);
  const since = timeline.mark();
  const outcome = await openUrl(world, url, signal).catch((error: unknown) => {
    if (world.lifeline.isLost || signal.aborted) throw error;
    return explainFailure(world, since, url, error);
  });
  if (outcome !== null && typeof outcome !== "number") await assertFromHost(world, outcome);
  return typeof outcome === "number" ? outcome : (outcome?.status() ?? null);
}

async function openUrl(
  world: SessionContext,
  url: string,
  signal: AbortSignal,
  mayRepeat = true,
): Promise<Response | null> {
  const { tabs, lifeline, limits } = world;
  const { page } = await tabs.current();
  try {
    // A committed document is enough to go on: one that opens a dialog never loads until it is answered.
    return await lifeline.until(page.goto(url, { waitUntil: "commit", timeout: limits.navigationMs }), signal);
  } catch (error) {
    if (world.network.isDocumentAwaited) await stopLoading(page);
    // The error page of a navigation before can come late.
    if (!mayRepeat || !/interrupted by another navigation to "chrome-error:/.test(describeError(error))) throw error;
  }
  return openUrl(world, url, signal, false);
}

/** To the page before, if there was one. */
export async function navigateBack(world: SessionContext, signal: AbortSignal): Promise<void> {
  const { timeline, tabs, lifeline, limits, context } = world;
  const since = timeline.mark();
  const { page } = await tabs.current();
  await lifeline.until(assertHasHistory(page), signal);
  const opening = page.goBack({ waitUntil: "commit", timeout: limits.navigationMs });
  await lifeline.until(opening, signal).catch((error: unknown) => {
    if (lifeline.isLost || signal.aborted) throw error;
    return explainFailure(world, since, page.url(), error);
  });

  async function assertHasHistory(current: Page): Promise<void> {
    const session = await context.newCDPSession(current);
    const { currentIndex, entries } = await session.send("Page.getNavigationHistory");
    await session.detach();
    const previous = entries[currentIndex - 1];
    if (previous === undefined || hostOfUrl(previous.url) === null) {
      throw new NavigationFailed("There is no page before this one in this tab.");
    }
  }
}

/** What became of a navigation that Playwright calls failed: an answer without a document, or a failure with its reason. */
function explainFailure(world: SessionContext, since: Mark, url: string, error: unknown): number | null {
  const message = describeError(error);
  if (message.includes("Download is starting")) return null;
  const [refused] = world.refused.since(since);
  const document = world.network.since(since).findLast(({ isNavigation }) => isNavigation);
  if (refused !== undefined && document !== undefined && world.refused.has(document.url)) throw refuseHost(refused);
  // The page went on by itself, or the answer was one without content.
  if (document !== undefined && document.status !== null) return document.status;
  throw new NavigationFailed(`${url} could not be opened: ${reasonOf(message)}.`, { cause: error });
}

/** The proxy answers in the name of hosts that it does not let through or cannot reach. */
async function assertFromHost({ refused }: SessionContext, response: Response): Promise<void> {
  const place = hostOfUrl(response.url());
  if (place !== null && refused.has(response.url())) throw refuseHost(`${place.host}:${place.port}`);
  if (!isFromProxy(response.headers())) return;
  const text = await response.text().catch(() => "");
  throw new NavigationFailed(text.trim() || `${response.url()} could not be reached.`);
}

function refuseHost(host: string): PolicyRefusal {
  return new PolicyRefusal(`${host} is not among the hosts that this run may visit.`);
}

const REASONS: readonly [pattern: RegExp, reason: string][] = [
  [/Timeout .*exceeded/, "it did not answer in time"],
  [/ERR_TUNNEL_CONNECTION_FAILED|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION_REFUSED/, "the host cannot be reached"],
  [/ERR_(CERT|SSL)_/, "its certificate or encryption is not in order"],
  [/ERR_TOO_MANY_REDIRECTS/, "it redirects in a circle"],
  [/ERR_(CONNECTION_|EMPTY_RESPONSE|INVALID_HTTP_RESPONSE|INCOMPLETE)/, "the host broke off"],
  [/ERR_ABORTED|interrupted/, "it was broken off"],
];

function reasonOf(message: string): string {
  const [, reason] = REASONS.find(([pattern]) => pattern.test(message)) ?? [];
  const [code = "unknown reason"] = /net::\w+/.exec(message) ?? [];
  return reason ?? code;
}

const STOP_TIMEOUT_MS = 2_000;

/**
 * Gives up on a document that does not come. As long as one is on its way Chromium passes no question on to the page,
 * so a run could neither look nor act; the page that is there then stays.
 */
export async function stopLoading(page: Page): Promise<void> {
  await withTimeout(stop(page), STOP_TIMEOUT_MS).catch(() => {});
}

async function stop(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.stopLoading");
  await session.detach();
}
