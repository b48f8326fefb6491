import { pauseWhileAsking, pauseWhileTakenOver } from "../agent/gate/people.ts";
import { type ErrandOutcome, StopReason } from "../agent/loop/errand.ts";
import type { Logger } from "../lib/logger.ts";
import { Deadline } from "../lib/waiting.ts";
import type { RunEnd } from "./conclusion.ts";
import type { BrowserSession, ErrandWithoutSignIn } from "./run-dependencies.ts";

interface AttemptOptions {
  errand: Omit<ErrandWithoutSignIn, "openSession" | "releaseSession" | "begin" | "signal">;
  runErrand(errand: ErrandWithoutSignIn): Promise<ErrandOutcome>;
  openSession: ErrandWithoutSignIn["openSession"];
  begin: ErrandWithoutSignIn["begin"];
  /** Called before the browser of a run that has begun and returned is closed. */
  beforeClosing(session: BrowserSession, end: RunEnd): Promise<void>;
  /** Aborted with a StopReason by `stop`. */
  signal: AbortSignal;
  stop(reason: StopReason): void;
  /** How long a run may take to stop. */
  stopTimeoutMs: number;
  logger: Logger;
}

interface Attempt {
  end: RunEnd;
  isOverdue: boolean;
  /** Whether it may have had outside effects. */
  mayHaveBegun: boolean;
  /** Whether opening a browser failed. */
  hadNoBrowser: boolean;
  /** Resolves when its browsers are closed. */
  closed: Promise<void>;
}

/** How long a run may exceed its limit: it ends itself, and verification takes a while. */
const OVERDUE_MS = 60_000;

/**
 * Runs the agent, and abandons it when it does not stop in time: every execution must end. The browsers of an abandoned agent
 * are closed.
 */
export async function attemptErrand(options: AttemptOptions): Promise<Attempt> {
  const { errand, runErrand, signal, stop, stopTimeoutMs, logger } = options;
  const attempt = { isOverdue: false, mayHaveBegun: false, hadNoBrowser: false };
  const sessions = createSessionTracker(options.openSession, logger);
  const abandoned = Promise.withResolvers<RunEnd>();
  using overdue = new Deadline(errand.limits.maxDurationMs + OVERDUE_MS);
  overdue.signal.addEventListener("abort", () => {
    attempt.isOverdue = true;
    stop(new StopReason("shutting_down"));
  });
  let abandoning: NodeJS.Timeout | undefined;
  const onStop = () => {
    abandoning = setTimeout(() => abandoned.resolve({ kind: "abandoned" }), stopTimeoutMs);
  };
  signal.addEventListener("abort", onStop, { once: true });
  if (signal.aborted) onStop();

  const running: Promise<RunEnd> = runErrand({
    ...errand,
    people: errand.people && pauseWhileAsking(errand.people, overdue),
    takeover: errand.takeover && pauseWhileTakenOver(errand.takeover, overdue),
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
      // Set before the call: if the response is lost, it may have begun.
      attempt.mayHaveBegun = true;
      attempt.mayHaveBegun = await options.begin();
      return attempt.mayHaveBegun;
    },
  }).then(
    (outcome): RunEnd => ({ kind: "ended", outcome }),
    (error: unknown): RunEnd => ({ kind: "threw", error }),
  );
  const end = await Promise.race([running, abandoned.promise]);
  overdue[Symbol.dispose]();
  clearTimeout(abandoning);
  signal.removeEventListener("abort", onStop);
  if (end.kind === "abandoned") sessions.abandon();
  const hasLost = signal.reason instanceof StopReason && signal.reason.kind === "lease_lost";
  for (const session of sessions.released()) {
    if (attempt.mayHaveBegun && !hasLost) await options.beforeClosing(session, end);
    sessions.close(session);
  }
  return { end, ...attempt, closed: sessions.closed() };
}

/** Tracks every session that was opened, so that none outlives its run. */
function createSessionTracker(openSession: ErrandWithoutSignIn["openSession"], logger: Logger) {
  const opened: BrowserSession[] = [];
  const released: BrowserSession[] = [];
  const closings: Promise<void>[] = [];
  let isAbandoned = false;

  function close(session: BrowserSession): void {
    const closing = Promise.resolve(session[Symbol.asyncDispose]()).catch((error: Error) =>
      logger.warn({ err: error }, "Could not close the browser of a run"),
    );
    closings.push(closing);
  }

  return {
    close,
    release(session: BrowserSession): void {
      if (!isAbandoned) released.push(session);
    },
    /** Sessions that the agent has released and that are still open. */
    released: () => (isAbandoned ? [] : released),
    async closed(): Promise<void> {
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
      logger.warn("A run did not stop in time and was abandoned");
      for (const session of opened) close(session);
    },
  };
}
