import { endWith, toErrorMessage } from "../agent/loop/ending.ts";
import type { Errand, ErrandOutcome } from "../agent/loop/errand.ts";
import { findSignedOutReason } from "../connections/sign-in/probe.ts";
import type { Probe, SavedState, SignInHolder, StoredSignIn } from "../connections/vault/saved-sign-in.ts";
import { SignInUnreadable } from "../connections/vault/vault.ts";
import type { Claim } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { withTimeout } from "../lib/waiting.ts";
import type { RunEnd } from "./conclusion.ts";
import type { RetryWhileUnavailable } from "./retry-while-unavailable.ts";
import type { BrowserSession, ErrandWithoutSignIn, SignInAccess } from "./run-dependencies.ts";

/** The user's saved sign-in during one run: loaded before the browser opens, saved again before it closes. */
interface RunSignIn {
  /** Runs the errand as the user, or signed out when the connection has no saved sign-in. */
  run(errand: ErrandWithoutSignIn): Promise<ErrandOutcome>;
  /** The state for the browser to start with. */
  readonly state: SavedState | null;
  saveRefreshed(session: BrowserSession, end: RunEnd): Promise<void>;
}

interface RunSignInOptions extends SignInAccess {
  claim: Claim;
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  retry: RetryWhileUnavailable;
  signal: AbortSignal;
  logger: Logger;
}

/** Capturing waits up to five seconds for a page that does not respond. */
const SAVE_TIMEOUT_MS = 8_000;
/** Shorter after a stop: someone is waiting for the end. */
const STOPPED_SAVE_TIMEOUT_MS = 1_500;

export function createRunSignIn(options: RunSignInOptions): RunSignIn {
  const { claim, signIns, runErrand, retry, signal, logger } = options;
  const { execution, fence, application } = claim;
  let held: HeldSignIn | null = null;

  async function open(): Promise<HeldSignIn | null> {
    const { id, connectionId } = execution;
    const stored = await retry(() => signIns.find(connectionId));
    return stored && openHeldSignIn(stored, connectionId, { kind: "run", executionId: id, fence }, options);
  }

  return {
    async run(errand) {
      try {
        held = await open();
      } catch (error) {
        if (!(error instanceof SignInUnreadable)) throw error;
        logger.error({ reason: error.message }, "The saved sign-in of the execution's user cannot be read");
        return SIGN_IN_UNREADABLE;
      }
      if (held === null) {
        const outcome = await runErrand({ ...errand, signIn: null });
        return application.signInUrl === null ? withoutReauthorization(outcome) : outcome;
      }
      const { probe } = held;
      return runErrand({
        ...errand,
        signIn: {
          probeUrl: probe.url,
          findSignedOut: (view) => findSignedOutReason(view, probe, application.signInUrl),
        },
      });
    },

    get state() {
      return held?.state ?? null;
    },

    async saveRefreshed(session, end) {
      if (held === null || isSignedOut(end)) return;
      await saveRefreshedSignIn(session, held, {
        timeoutMs: signal.aborted ? STOPPED_SAVE_TIMEOUT_MS : SAVE_TIMEOUT_MS,
        logger,
      });
    },
  };
}

/** Where nobody can sign in for the application, asking the user to connect again would change nothing. */
function withoutReauthorization(outcome: ErrandOutcome): ErrandOutcome {
  if (outcome.kind !== "failed" || outcome.failure !== "reauthorization_required") return outcome;
  const reason = `${outcome.reason} The application has no sign-in URL, so the errand ran without signing in.`;
  const ending = endWith("goal_unreachable", reason, "SIGN_IN_NOT_SET_UP");
  return { ...outcome, ...ending, message: toErrorMessage(ending, outcome.sideEffects.length > 0) };
}

const SIGN_IN_UNREADABLE: ErrandOutcome = {
  kind: "failed",
  failure: "internal_error",
  code: "SIGN_IN_UNREADABLE",
  reason: "The user's saved sign-in cannot be read.",
  message:
    "The user's saved sign-in cannot be decrypted. Nothing was done. The operator should check that the key it was saved with " +
    "is set as ERRAND_SECRET_KEY or listed in ERRAND_OTHER_SECRET_KEYS. If the sign-in is damaged, send the user through the " +
    "authorization link again.",
  sideEffects: [],
  verdict: null,
  cost: null,
};

function isSignedOut(end: RunEnd): boolean {
  return end.kind === "ended" && end.outcome.kind === "failed" && end.outcome.failure === "reauthorization_required";
}

/** A connection's decrypted sign-in, held by the run or check that may use it. Never stored in plain text. */
export interface HeldSignIn {
  readonly state: SavedState;
  readonly probe: Probe;
  /** Saves the refreshed state; false when it was replaced or the right to save it was lost. */
  renew(state: SavedState): Promise<boolean>;
}

/** Throws SignInUnreadable. */
export function openHeldSignIn(
  stored: StoredSignIn,
  connectionId: string,
  holder: SignInHolder,
  { signIns, vault }: SignInAccess,
): HeldSignIn {
  const { state, probe } = vault.open(connectionId, stored);
  return {
    state,
    probe,
    renew: (newer) =>
      signIns.renew(connectionId, stored.revision, vault.seal(connectionId, { state: newer, probe }), holder),
  };
}

/**
 * Saves the sign-in as the site has refreshed it: many sites replace it on every visit and invalidate the previous one. A
 * failure is only logged.
 */
export async function saveRefreshedSignIn(
  session: BrowserSession,
  held: HeldSignIn,
  { timeoutMs, logger }: { timeoutMs: number; logger: Logger },
): Promise<void> {
  try {
    const isSaved = await withTimeout(captureAndRenew(session, held), timeoutMs);
    if (isSaved === null) logger.warn({ after_ms: timeoutMs }, "The refreshed sign-in was not saved in time");
    else if (!isSaved) logger.debug("The sign-in was replaced or deleted in the meantime; dropping the refreshed one");
  } catch (error) {
    // Only the error's name: its message may quote the content.
    const reason = error instanceof Error ? error.name : typeof error;
    logger.warn({ reason }, "Could not save the refreshed sign-in");
  }
}

async function captureAndRenew(session: BrowserSession, held: HeldSignIn): Promise<boolean> {
  return held.renew(await session.captureState());
}
