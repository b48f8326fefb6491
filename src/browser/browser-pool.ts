import type { BrowserSession } from "./session/browser-session.ts";
import type { SessionOptions } from "./session/session-options.ts";

/**
 * Browser processes that are started before they are needed. Each serves one session and is then ended with everything
 * it has left behind, so that nothing of one connection can ever reach another.
 */
export interface BrowserPool extends AsyncDisposable {
  openSession(options: SessionOptions, signal: AbortSignal): Promise<BrowserSession>;
  /** Throws, with what to do about it, when no browser can be had. */
  checkReady(): Promise<void>;
}
