import type { BrowserContext, Request } from "playwright-core";
import { isWrite } from "./network-record.ts";

/**
 * Keeps everything that may change something inside the browser. `aborted` leaves the page and what was typed into it
 * as they are, where other errors put an error page in its place. It costs the HTTP cache, so only who must asks for it.
 * Redirects are not seen here, but none turns a request that reads into one that writes.
 */
export async function guardAgainstWrites(
  context: BrowserContext,
  onBlocked: (request: Request) => void,
): Promise<void> {
  await context.route("**", async (route) => {
    const request = route.request();
    if (!isWrite({ method: request.method() })) return route.continue();
    onBlocked(request);
    return route.abort("aborted");
  });
  await context.routeWebSocket(/.*/, (socket) => socket.close({ code: 1008, reason: "This run only reads." }));
}
