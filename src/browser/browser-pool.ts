import type { LiveBrowser, LiveOptions } from "./live/live-browser.ts";
import type { BrowserSession } from "./session/browser-session.ts";
import type { SessionOptions } from "./session/session-options.ts";

/**
 * Browser processes that are started before they are needed. Each serves one session and is then ended with everything
 * it has left behind, so that nothing of one connection can ever reach another.
 */
export interface BrowserPool extends AsyncDisposable {
  openSession(options: SessionOptions, signal: AbortSignal): Promise<BrowserSession>;
  /** Rejects when no browser can be had; that the site does not answer is told to the listener. */
  openLive(options: LiveOptions, signal: AbortSignal): Promise<LiveBrowser>;
  /** Throws, with what to do about it, when no browser can be had. */
  checkReady(): Promise<void>;
}
