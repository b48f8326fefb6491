import { describeError } from "../lib/describe-error.ts";
import type { Logger } from "../lib/logger.ts";
import { assertOnThisMachine, connectToBrowser } from "./remote-browser.ts";
import type { RunningBrowser } from "./running-browser.ts";

interface Place {
  readonly cdpUrl: string;
  sessions: number;
  /** Until then it is asked last. */
  downUntilMs: number;
}

const DOWN_MS = 30_000;

/** Connects to whichever of these browsers has the least to do; one that does not answer is passed over. */
export function createRemoteBrowsers(cdpUrls: readonly string[], logger: Logger): () => Promise<RunningBrowser> {
  for (const cdpUrl of cdpUrls) assertOnThisMachine(cdpUrl);
  const places = cdpUrls.map((cdpUrl): Place => ({ cdpUrl, sessions: 0, downUntilMs: 0 }));

  return async () => {
    const failures: unknown[] = [];
    for (const place of inOrder(places)) {
      // Counted from here on, so that those who come together do not all choose the same one.
      place.sessions += 1;
      try {
        const running = await connectToBrowser(place.cdpUrl);
        place.downUntilMs = 0;
        return leaving(running, place);
      } catch (error) {
        place.sessions -= 1;
        place.downUntilMs = performance.now() + DOWN_MS;
        failures.push(error);
        const { host } = new URL(place.cdpUrl);
        if (places.length > 1) logger.warn({ browser: host, reason: describeError(error) }, "a browser is passed over");
      }
    }
    throw failures.length === 1 ? failures[0] : new Error(describeError(new AggregateError(failures)));
  };
}

function inOrder(places: readonly Place[]): Place[] {
  const nowMs = performance.now();
  const isDown = ({ downUntilMs }: Place) => Number(downUntilMs > nowMs);
  return places.toSorted((a, b) => isDown(a) - isDown(b) || a.sessions - b.sessions);
}

function leaving(running: RunningBrowser, place: Place): RunningBrowser {
  let hasLeft = false;
  return {
    ...running,
    async [Symbol.asyncDispose]() {
      if (!hasLeft) place.sessions -= 1;
      hasLeft = true;
      await running[Symbol.asyncDispose]();
    },
  };
}
