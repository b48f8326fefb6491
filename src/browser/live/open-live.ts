import { untilAborted } from "../../lib/until-aborted.ts";
import { startEgressProxy } from "../egress/egress-proxy.ts";
import type { RunningBrowser } from "../running-browser.ts";
import { openRunContext } from "../session/run-context.ts";
import type { LiveBrowser, LiveOptions, Viewport } from "./live-browser.ts";
import { LiveSession } from "./live-session.ts";
import { ProxyVerdicts } from "./proxy-verdicts.ts";

interface OpenLiveOptions {
  /** Ended with everything it has left behind when the live browser is. */
  readonly running: RunningBrowser;
  readonly options: LiveOptions;
}

/** Who opens it gives the browser away, also when this fails. */
export async function openLive({ running, options }: OpenLiveOptions, signal: AbortSignal): Promise<LiveBrowser> {
  const { privateHosts, clock } = options;
  const verdicts = new ProxyVerdicts();
  await using opened = new AsyncDisposableStack();
  const proxy = opened.use(
    await startEgressProxy({
      allowedHosts: "public",
      privateHosts,
      clock,
      onRefused: (entry) => verdicts.noteRefusal(entry),
      onFailed: (destination, error) => verdicts.noteFailure(destination, error),
    }),
  );
  const openContext = async (viewport: Viewport) => {
    const { context, page } = await openRunContext(running.browser, proxy, {
      viewport,
      hasTouch: options.isTouch,
      isMobile: options.isTouch,
      acceptDownloads: false,
    });
    await page.close();
    return context;
  };
  const session = opened.use(new LiveSession({ running, options, verdicts, openContext }));
  await untilAborted(session.open(), signal);
  const owned = opened.move();
  return {
    input: (input) => session.input(input),
    look: (lookSignal) => session.look(lookSignal),
    revisit: (url, visitSignal) => session.revisit(url, visitSignal),
    visitAsStranger: (url, visitSignal) => session.visitAsStranger(url, visitSignal),
    capture: () => session.capture(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
