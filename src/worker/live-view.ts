import type { ExecutionUpdates } from "../executions/execution-store.ts";
import { LIVE_TOPICS, type LivePicture, type LiveViewStore, type PictureSealer } from "../executions/live-view.ts";
import type { Logger } from "../lib/logger.ts";

/** The run as people watch it. */
interface SharedView extends Disposable {
  /** The browser of the run is open: from now on it can be watched. */
  share(session: WatchableSession): void;
}

interface WatchableSession {
  watch(onPicture: (picture: Omit<LivePicture, "page"> & { readonly url: string }) => void): Disposable;
}

export interface LiveViewAccess {
  store: Pick<LiveViewStore, "isWatched" | "show">;
  sealer: Pick<PictureSealer, "seal">;
}

interface SharedViewOptions extends LiveViewAccess {
  executionId: string;
  fence: number;
  updates: ExecutionUpdates;
  logger: Logger;
}

/** Viewers who are gone without a word expire. */
const RECHECK_MS = 5_000;

/** Captures the browser only while somebody watches. A picture that could not be stored is dropped: the next one replaces it. */
export function shareView(options: SharedViewOptions): SharedView {
  const { executionId, fence, store, sealer, updates, logger } = options;
  let session: WatchableSession | null = null;
  let capture: Disposable | null = null;
  let recheck: NodeJS.Timeout | undefined;
  let newest: LivePicture | null = null;
  let isStoring = false;
  let number = 0;

  function stop(): void {
    clearInterval(recheck);
    capture?.[Symbol.dispose]();
    capture = null;
    newest = null;
  }

  function start(watched: WatchableSession): void {
    recheck = setInterval(() => void check(), RECHECK_MS);
    capture = watched.watch(({ url, ...picture }) => {
      newest = { ...picture, page: { url } };
      if (!isStoring) void storeAll();
    });
  }

  async function storeAll(): Promise<void> {
    isStoring = true;
    while (newest !== null) {
      const picture = newest;
      newest = null;
      number = (number + 1) % 2 ** 31;
      try {
        if (!(await store.show(executionId, fence, { number, ...sealer.seal(executionId, picture) }))) stop();
      } catch (error) {
        logger.debug({ err: error }, "Could not store a live picture");
      }
    }
    isStoring = false;
  }

  async function check(): Promise<void> {
    try {
      const isWatched = session !== null && (await store.isWatched(executionId));
      if (session === null || !isWatched) stop();
      else if (capture === null) start(session);
    } catch (error) {
      logger.debug({ err: error }, "Could not check who watches");
    }
  }

  const subscription = updates.subscribe(LIVE_TOPICS.viewers(executionId), () => void check());
  return {
    share(opened) {
      session = opened;
      void check();
    },
    [Symbol.dispose]() {
      session = null;
      subscription[Symbol.dispose]();
      stop();
    },
  };
}
