import type { BrowserContext } from "playwright-core";
import { isWrite } from "./network-record.ts";

/** Frames of a WebSocket are no requests: a page that may only read gets none at all. */
export async function refuseWebSockets(context: BrowserContext): Promise<void> {
  await context.routeWebSocket(/.*/, (socket) => socket.close({ code: 1008, reason: "This run only reads." }));
}

/**
 * Holds back what may change something in a browser that others use too, where nothing but this context may be
 * touched. It costs the HTTP cache, and does not see what a page sends while it is being left.
 */
export async function guardContext(context: BrowserContext): Promise<void> {
  await context.route("**", (route) => {
    return isWrite({ method: route.request().method() }) ? route.abort("aborted") : route.continue();
  });
}
