import { type ErrandOutcome, StopReason } from "../agent/loop/errand.ts";
import type { Logger } from "../lib/logger.ts";
import type { RunEnd } from "./conclusion.ts";
import type { BrowserSession } from "./run-dependencies.ts";
import type { ErrandWithoutSignIn } from "./run-sign-in.ts";

interface AttemptOptions {
  errand: Omit<ErrandWithoutSignIn, "openSession" | "releaseSession" | "begin" | "signal">;
  runErrand(errand: ErrandWithoutSignIn): Promise<ErrandOutcome>;
  openSession: ErrandWithoutSignIn["openSession"];
  begin: ErrandWithoutSignIn["begin"];
  /** The last that is done with the browser of a run that has begun and come back. */
  beforeClosing(session: BrowserSession, end: RunEnd): Promise<void>;
  /** Aborted with a StopReason by `stop`. */
  signal: AbortSignal;
  stop(reason: StopReason): void;
  /** How long a run that was told to stop has for it. */
  stopPatienceMs: number;
  logger: Logger;
}

interface Attempt {
  end: RunEnd;
  isOverdue: boolean;
  /** Whether the world may have noticed something. */
  mayHaveBegun: boolean;
  /** Whether it failed for want of a browser. */
  hadNoBrowser: boolean;
  /** Resolves when nothing of its browser is left. */
  cleared: Promise<void>;
}

/** How far beyond its time a run may be: it ends itself, and verifying takes a while. */
const OVERDUE_MS = 60_000;

/**
 * Lets the agent work, and goes on without it when it does not come back: every execution must come to an end. What an
 * abandoned agent still holds is closed under it.
 */
export async function attemptErrand(options: AttemptOptions): Promise<Attempt> {
  const { errand, runErrand, signal, stop, stopPatienceMs, logger } = options;
  const attempt = { isOverdue: false, mayHaveBegun: false, hadNoBrowser: false };
  const sessions = createSessionTracker(options.openSession, logger);
  const abandoned = Promise.withResolvers<RunEnd>();
  const timers = [
    setTimeout(() => {
      attempt.isOverdue = true;
      stop(new StopReason("shutting_down"));
    }, errand.limits.maxDurationMs + OVERDUE_MS),
  ];
  const onStop = () => {
    timers.push(setTimeout(() => abandoned.resolve({ kind: "abandoned" }), stopPatienceMs));
  };
  signal.addEventListener("abort", onStop, { once: true });
  if (signal.aborted) onStop();

  const running: Promise<RunEnd> = runErrand({
    ...errand,
    signal,
    async openSession(opening) {
      try {
        return await sessions.open(opening);
      } catch (error) {
        attempt.hadNoBrowser = true;
        throw error;
      }
    },
    async releaseSession(session) {
      sessions.release(session);
    },
    async begin() {
      // Set first: when the answer is lost on its way, it may have begun all the same.
      attempt.mayHaveBegun = true;
      attempt.mayHaveBegun = await options.begin();
      return attempt.mayHaveBegun;
    },
  }).then(
    (outcome): RunEnd => ({ kind: "ended", outcome }),
    (error: unknown): RunEnd => ({ kind: "threw", error }),
  );
  const end = await Promise.race([running, abandoned.promise]);
  for (const timer of timers) clearTimeout(timer);
  signal.removeEventListener("abort", onStop);
  if (end.kind === "abandoned") sessions.abandon();
  const hasLost = signal.reason instanceof StopReason && signal.reason.kind === "lease_lost";
  for (const session of sessions.released()) {
    if (attempt.mayHaveBegun && !hasLost) await options.beforeClosing(session, end);
    sessions.close(session);
  }
  return { end, ...attempt, cleared: sessions.cleared() };
}

/** Knows every session that was opened, so that none outlives its run. */
function createSessionTracker(openSession: ErrandWithoutSignIn["openSession"], logger: Logger) {
  const opened: BrowserSession[] = [];
  const released: BrowserSession[] = [];
  const closings: Promise<void>[] = [];
  let isAbandoned = false;

  function close(session: BrowserSession): void {
    const closing = Promise.resolve(session[Symbol.asyncDispose]()).catch((error: Error) =>
      logger.warn({ err: error }, "the browser of a run could not be closed"),
    );
    closings.push(closing);
  }

  return {
    close,
    release(session: BrowserSession): void {
      if (!isAbandoned) released.push(session);
    },
    /** What the agent needs no more, and which is still open. */
    released: () => (isAbandoned ? [] : released),
    async cleared(): Promise<void> {
      await Promise.all(closings);
    },
    async open(signal: AbortSignal): Promise<BrowserSession> {
      const session = await openSession(signal);
      opened.push(session);
      if (isAbandoned) close(session);
      return session;
    },
    abandon(): void {
      isAbandoned = true;
      logger.warn("a run did not stop when it was told to, and is left behind");
      for (const session of opened) close(session);
    },
  };
}
