import type { Errand, ErrandOutcome } from "../agent/errand.ts";
import { findSignedOut } from "../connections/sign-in/probe.ts";
import type { SavedState } from "../connections/vault/saved-sign-in.ts";
import { SignInUnreadable } from "../connections/vault/vault.ts";
import type { Logger } from "../lib/logger.ts";
import type { Claim } from "../queue/queue-store.ts";
import { type HeldSignIn, holdSignIn, keepSignIn, type SignInMeans } from "./held-sign-in.ts";
import type { Persist } from "./persist.ts";
import type { BrowserSession } from "./run-dependencies.ts";
import type { RunEnd } from "./to-outcome.ts";

/** An errand before it is known as whom it is run. */
export type UnsignedErrand = Omit<Errand, "signIn">;

/** The user's saved sign-in during one run: taken before the browser opens, saved again before it closes. */
export interface RunSignIn {
  /** Runs the errand as the user, or as nobody when the connection has no sign-in. */
  run(errand: UnsignedErrand): Promise<ErrandOutcome>;
  /** With what the browser opens. */
  readonly state: SavedState | null;
  keep(session: BrowserSession, end: RunEnd): Promise<void>;
}

interface RunSignInOptions extends SignInMeans {
  claim: Claim;
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  persist: Persist;
  signal: AbortSignal;
  logger: Logger;
}

/** A page that stands still takes five seconds before the browser is asked without it. */
const PATIENCE_MS = 8_000;
/** Whoever has stopped the run is waiting for its end. */
const STOPPED_PATIENCE_MS = 1_500;

export function createRunSignIn(options: RunSignInOptions): RunSignIn {
  const { claim, signIns, runErrand, persist, signal, logger } = options;
  const { execution, fence, application } = claim;
  let held: HeldSignIn | null = null;

  async function take(): Promise<HeldSignIn | null> {
    const { id, connectionId } = execution;
    const stored = await persist(() => signIns.find(connectionId));
    return stored && holdSignIn(stored, connectionId, { kind: "run", executionId: id, fence }, options);
  }

  return {
    async run(errand) {
      try {
        held = await take();
      } catch (error) {
        if (!(error instanceof SignInUnreadable)) throw error;
        logger.error({ reason: error.message }, "the saved sign-in of the execution's user cannot be read");
        return UNREADABLE;
      }
      if (held === null) return runErrand({ ...errand, signIn: null });
      const { probe } = held;
      return runErrand({
        ...errand,
        signIn: {
          probeUrl: probe.url,
          findSignedOut: (view) => findSignedOut(view, probe, application.signInUrl),
        },
      });
    },

    get state() {
      return held?.state ?? null;
    },

    async keep(session, end) {
      if (held === null || isSignedOut(end)) return;
      await keepSignIn(session, held, { patienceMs: signal.aborted ? STOPPED_PATIENCE_MS : PATIENCE_MS, logger });
    },
  };
}

const UNREADABLE: ErrandOutcome = {
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
