import type { RunInput } from "../contract/live-run.ts";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import type { LiveController } from "../executions/live-link.ts";
import { LIVE_TOPICS, type LivePicture, type LiveSealer, type LiveViewStore } from "../executions/live-view.ts";
import type { Logger } from "../lib/logger.ts";
import { abortable } from "../lib/waiting.ts";

/** The run as people watch it, and take it over. */
export interface SharedView extends Disposable {
  /** The browser of the run is open: from now on it can be watched. */
  share(session: SharedSession): void;
  /** Whether a person wants to use the browser. */
  readonly isWanted: boolean;
  waitUntilWanted(signal: AbortSignal): Promise<void>;
  /**
   * Passes what a person enters to the browser until they hand it back, or are gone. Nothing of it is recorded. Returns who
   * it was; null when nobody was there.
   */
  waitUntilHandedBack(signal: AbortSignal): Promise<LiveController | null>;
}

/** The browser session of a run. */
interface SharedSession {
  watch(onPicture: (picture: Omit<LivePicture, "page"> & { readonly url: string }) => void): Watch;
  readonly dialog: { readonly kind: string } | null;
  answerDialog(answer: { accept: boolean }): Promise<void>;
}

interface Watch extends Disposable {
  input(input: RunInput): void;
}

export interface LiveViewAccess {
  store: Pick<LiveViewStore, "isWatched" | "show" | "findControl" | "holdControl" | "takeInputs">;
  sealer: Pick<LiveSealer, "sealPicture" | "openInputs">;
}

interface SharedViewOptions extends LiveViewAccess {
  executionId: string;
  fence: number;
  updates: ExecutionUpdates;
  logger: Logger;
}

/** Viewers who are gone without a word expire. */
const RECHECK_MS = 5_000;
/** Notifications can be lost, so waiting also polls. */
const POLL_MS = 1_000;

/** Captures the browser only while somebody watches. A picture that could not be stored is dropped: the next one replaces it. */
export function shareView(options: SharedViewOptions): SharedView {
  const { executionId, fence, store, sealer, updates, logger } = options;
  let session: SharedSession | null = null;
  let capture: Watch | null = null;
  let recheck: NodeJS.Timeout | undefined;
  let newest: LivePicture | null = null;
  let isStoring = false;
  let number = 0;
  let control: { isHeld: boolean; by: LiveController } | null = null;
  let changed = Promise.withResolvers<void>();

  function stop(): void {
    clearInterval(recheck);
    capture?.[Symbol.dispose]();
    capture = null;
    newest = null;
  }

  function start(watched: SharedSession): void {
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
        if (!(await store.show(executionId, fence, { number, ...sealer.sealPicture(executionId, picture) }))) stop();
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

  async function checkControl(): Promise<void> {
    try {
      control = session === null ? null : await store.findControl(executionId);
    } catch (error) {
      logger.debug({ err: error }, "Could not check who has taken over");
    }
    wake();
  }

  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  /** Until the change that was captured before the caller looked, or for a while. */
  async function waitFor(change: Promise<void>, signal: AbortSignal): Promise<void> {
    const poll = setTimeout(() => void checkControl(), POLL_MS);
    try {
      await abortable(change, signal);
    } finally {
      clearTimeout(poll);
    }
  }

  /** What a person enters is in memory only, from here to the browser. */
  async function passInputs(): Promise<void> {
    try {
      for (const sealed of await store.takeInputs(executionId)) {
        for (const input of sealer.openInputs(executionId, sealed)) capture?.input(input);
      }
      // The live view shows no dialogs of the browser, and they block the page: notes are confirmed, questions are not.
      if (session?.dialog != null) await session.answerDialog({ accept: session.dialog.kind === "alert" });
    } catch (error) {
      logger.debug({ err: error }, "Could not pass on what a person entered");
    }
  }

  const subscriptions = [
    updates.subscribe(LIVE_TOPICS.viewers(executionId), () => void check()),
    updates.subscribe(LIVE_TOPICS.control(executionId), () => void checkControl()),
    updates.subscribe(LIVE_TOPICS.inputs(executionId), wake),
  ];
  return {
    share(opened) {
      session = opened;
      void check();
      void checkControl();
    },
    get isWanted() {
      return control !== null;
    },
    async waitUntilWanted(signal) {
      for (let change = changed.promise; control === null; change = changed.promise) await waitFor(change, signal);
    },
    async waitUntilHandedBack(signal) {
      let by: LiveController | null = null;
      for (let change = changed.promise; control !== null; change = changed.promise) {
        by = control.by;
        if (!control.isHeld && (await store.holdControl(executionId, fence))) control = { isHeld: true, by };
        await passInputs();
        await waitFor(change, signal);
      }
      return by;
    },
    [Symbol.dispose]() {
      session = null;
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      stop();
    },
  };
}
