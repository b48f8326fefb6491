import type { Errand, ErrandOutcome } from "../agent/loop/errand.ts";
import { findSignedOutReason } from "../connections/sign-in/probe.ts";
import type { Probe, SavedState, SignInHolder, SignInStore, StoredSignIn } from "../connections/vault/saved-sign-in.ts";
import { SignInUnreadable, type Vault } from "../connections/vault/vault.ts";
import type { Claim } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { withTimeout } from "../lib/waiting.ts";
import type { RunEnd } from "./conclusion.ts";
import type { RetryWhileUnavailable } from "./retry-while-unavailable.ts";
import type { BrowserSession } from "./run-dependencies.ts";

/** An errand before it is known as whom it is run. */
export type ErrandWithoutSignIn = Omit<Errand, "signIn">;

/** The user's saved sign-in during one run: taken before the browser opens, saved again before it closes. */
interface RunSignIn {
  /** Runs the errand as the user, or as nobody when the connection has no sign-in. */
  run(errand: ErrandWithoutSignIn): Promise<ErrandOutcome>;
  /** With what the browser opens. */
  readonly state: SavedState | null;
  keep(session: BrowserSession, end: RunEnd): Promise<void>;
}

interface RunSignInOptions extends SignInAccess {
  claim: Claim;
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  persist: RetryWhileUnavailable;
  signal: AbortSignal;
  logger: Logger;
}

/** A page that stands still takes five seconds before the browser is asked without it. */
const SAVE_TIMEOUT_MS = 8_000;
/** Whoever has stopped the run is waiting for its end. */
const STOPPED_SAVE_TIMEOUT_MS = 1_500;

export function createRunSignIn(options: RunSignInOptions): RunSignIn {
  const { claim, signIns, runErrand, persist, signal, logger } = options;
  const { execution, fence, application } = claim;
  let held: HeldSignIn | null = null;

  async function take(): Promise<HeldSignIn | null> {
    const { id, connectionId } = execution;
    const stored = await persist(() => signIns.find(connectionId));
    return stored && openHeldSignIn(stored, connectionId, { kind: "run", executionId: id, fence }, options);
  }

  return {
    async run(errand) {
      try {
        held = await take();
      } catch (error) {
        if (!(error instanceof SignInUnreadable)) throw error;
        logger.error({ reason: error.message }, "the saved sign-in of the execution's user cannot be read");
        return SIGN_IN_UNREADABLE;
      }
      if (held === null) return runErrand({ ...errand, signIn: null });
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

    async keep(session, end) {
      if (held === null || isSignedOut(end)) return;
      await saveRefreshedSignIn(session, held, {
        patienceMs: signal.aborted ? STOPPED_SAVE_TIMEOUT_MS : SAVE_TIMEOUT_MS,
        logger,
      });
    },
  };
}

const SIGN_IN_UNREADABLE: ErrandOutcome = {
  kind: "failed",
  failure: "internal_error",
  code: "SIGN_IN_UNREADABLE",
  reason: "The user's saved sign-in cannot be read.",
  message:
    "The user's saved sign-in cannot be read, and nothing was done. The operator should check that ERRAND_SECRET_KEY is the " +
    "key under which it was saved, or is followed by that one in ERRAND_OTHER_SECRET_KEYS. If it is damaged, the user can " +
    "sign in again through the authorization link.",
  sideEffects: [],
  verdict: null,
  cost: null,
};

function isSignedOut(end: RunEnd): boolean {
  return end.kind === "ended" && end.outcome.kind === "failed" && end.outcome.failure === "reauthorization_required";
}

/** A connection's saved sign-in in the hands of whoever may use it now. It is never written down in clear. */
export interface HeldSignIn {
  readonly state: SavedState;
  readonly probe: Probe;
  /** Saves what has become of it; false when that is not wanted any more. */
  renew(state: SavedState): Promise<boolean>;
}

export interface SignInAccess {
  signIns: Pick<SignInStore, "find" | "renew">;
  vault: Pick<Vault, "open" | "seal">;
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
 * Saves what a site has made of the sign-in while it was used: many replace it at every visit, and the one before is worth
 * nothing then. That it could not be saved costs nothing else.
 */
export async function saveRefreshedSignIn(
  session: BrowserSession,
  held: HeldSignIn,
  { patienceMs, logger }: { patienceMs: number; logger: Logger },
): Promise<void> {
  try {
    const isKept = await withTimeout(captureAndRenew(session, held), patienceMs);
    if (isKept === null) logger.warn({ after_ms: patienceMs }, "the refreshed sign-in was not saved in time");
    else if (!isKept) logger.debug("the sign-in was replaced or deleted meanwhile, so the refreshed one is dropped");
  } catch (error) {
    // Its message may quote what could not be captured: its kind has to do.
    const reason = error instanceof Error ? error.name : typeof error;
    logger.warn({ reason }, "the refreshed sign-in could not be saved");
  }
}

async function captureAndRenew(session: BrowserSession, held: HeldSignIn): Promise<boolean> {
  return held.renew(await session.captureState());
}
