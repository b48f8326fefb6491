import { endWith, toErrorMessage } from "../agent/loop/ending.ts";
import type { Errand, ErrandOutcome } from "../agent/loop/errand.ts";
import { findSignedOutReason } from "../connections/sign-in/probe.ts";
import type { Renewal } from "../connections/sign-in/renew-sign-in.ts";
import { RENEWAL_FAILURES } from "../connections/vault/credentials.ts";
import type { Probe, SavedSignIn, SavedState, SignInHolder, StoredSignIn } from "../connections/vault/saved-sign-in.ts";
import { SignInUnreadable } from "../connections/vault/vault.ts";
import type { Claim } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { withTimeout } from "../lib/waiting.ts";
import type { RunEnd } from "./conclusion.ts";
import type { RetryWhileUnavailable } from "./retry-while-unavailable.ts";
import type { BrowserSession, ErrandWithoutSignIn, SignInAccess } from "./run-dependencies.ts";
import type { RunReporter } from "./run-reporter.ts";

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
  /** Reports that the sign-in was renewed, or could not be. */
  reporter: Pick<RunReporter, "signIn">;
  retry: RetryWhileUnavailable;
  signal: AbortSignal;
  logger: Logger;
}

/** Capturing waits up to five seconds for a page that does not respond. */
const SAVE_TIMEOUT_MS = 8_000;
/** Shorter after a stop: someone is waiting for the end. */
const STOPPED_SAVE_TIMEOUT_MS = 1_500;

export function createRunSignIn(options: RunSignInOptions): RunSignIn {
  const { claim, signIns, runErrand, renewals, reporter, retry, signal, logger } = options;
  const { execution, fence, application } = claim;
  let held: HeldSignIn | null = null;
  /** The browser whose sign-in may be saved again: not one in which it had expired. */
  let latest: BrowserSession | null = null;

  async function open(): Promise<HeldSignIn | null> {
    const { id, connectionId } = execution;
    const stored = await retry(() => signIns.find(connectionId));
    return stored && openHeldSignIn(stored, connectionId, { kind: "run", executionId: id, fence }, options);
  }

  function runAs({ probe }: HeldSignIn, errand: ErrandWithoutSignIn): Promise<ErrandOutcome> {
    return runErrand({
      ...errand,
      async openSession(opening) {
        latest = await errand.openSession(opening);
        return latest;
      },
      signIn: {
        probeUrl: probe.url,
        findSignedOut: (view) => findSignedOutReason(view, probe, application.signInUrl),
      },
    });
  }

  /** The browser in which the sign-in has expired is of no more use. */
  async function renew(expired: HeldSignIn): Promise<Renewal> {
    const renewal = await renewals.renew(execution.connectionId, expired, expired.replace, signal);
    signal.throwIfAborted();
    if (renewal.outcome === "renewed" || renewal.outcome === "failed") {
      await latest?.[Symbol.asyncDispose]();
      latest = null;
      await reporter.signIn(renewal);
    }
    return renewal;
  }

  async function runSignedOut(errand: ErrandWithoutSignIn): Promise<ErrandOutcome> {
    const outcome = await runErrand({ ...errand, signIn: null });
    return application.signInUrl === null ? withoutReauthorization(outcome) : outcome;
  }

  /** From the beginning, unless something was sent: that must not be sent again. */
  async function runRenewed(first: FailedErrand, errand: ErrandWithoutSignIn): Promise<ErrandOutcome> {
    held = await open();
    if (held === null || first.sideEffects.length > 0) return endAs(first, "site_error", SIGNED_OUT_WHILE_RUNNING);
    const second = await runAs(held, errand);
    if (isReauthorization(second)) await renewals.fail(execution.connectionId);
    return { ...second, cost: addCosts(first.cost, second.cost) };
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
      if (held === null) return runSignedOut(errand);
      const startedAtMs = performance.now();
      const first = await runAs(held, errand);
      if (!isReauthorization(first)) return first;
      const renewal = await renew(held);
      if (renewal.outcome !== "renewed") return explainNotRenewed(first, renewal);
      const maxDurationMs = Math.max(1, errand.limits.maxDurationMs - (performance.now() - startedAtMs));
      return runRenewed(first, { ...errand, limits: { ...errand.limits, maxDurationMs } });
    },

    get state() {
      return held?.state ?? null;
    },

    async saveRefreshed(session, end) {
      if (held === null || session !== latest || isSignedOut(end)) return;
      await saveRefreshedSignIn(session, held, {
        timeoutMs: signal.aborted ? STOPPED_SAVE_TIMEOUT_MS : SAVE_TIMEOUT_MS,
        logger,
      });
    },
  };
}

const COULD_NOT = "Errand could not sign in with the stored credentials.";
const NOT_RENEWED =
  "The sign-in has expired, and the site's sign-in page could not be opened to sign in with the stored credentials.";
const SIGNED_OUT_WHILE_RUNNING =
  "The site signed the user out while the errand was running. The sign-in is renewed, but what was sent is not sent again.";

function explainNotRenewed(outcome: FailedErrand, renewal: Exclude<Renewal, { outcome: "renewed" }>): ErrandOutcome {
  switch (renewal.outcome) {
    case "none":
      return outcome;
    case "unavailable":
      return endAs(outcome, "site_error", NOT_RENEWED);
    case "failed":
      return endAs(outcome, "reauthorization_required", `${COULD_NOT} ${RENEWAL_FAILURES[renewal.failure]}`);
  }
}

/** The same end with what is known about the sign-in. */
function endAs(outcome: FailedErrand, failure: "reauthorization_required" | "site_error", what: string): ErrandOutcome {
  const ending = endWith(failure, `${outcome.reason} ${what}`);
  return { ...outcome, ...ending, message: toErrorMessage(ending, outcome.sideEffects.length > 0) };
}

type FailedErrand = Extract<ErrandOutcome, { kind: "failed" }>;

function isReauthorization(outcome: ErrandOutcome): outcome is FailedErrand {
  return outcome.kind === "failed" && outcome.failure === "reauthorization_required";
}

function addCosts(one: ErrandOutcome["cost"], other: ErrandOutcome["cost"]): ErrandOutcome["cost"] {
  if (one === null || other === null) return one ?? other;
  return {
    model: other.model,
    input_tokens: one.input_tokens + other.input_tokens,
    cached_input_tokens: one.cached_input_tokens + other.cached_input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    duration_ms: one.duration_ms + other.duration_ms,
    requests: one.requests + other.requests,
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
  return end.kind === "ended" && isReauthorization(end.outcome);
}

/** A connection's decrypted sign-in, held by the run or check that may use it. Never stored in plain text. */
export interface HeldSignIn {
  readonly state: SavedState;
  readonly probe: Probe;
  /** Saves the refreshed state; false when it was replaced or the right to save it was lost. */
  renew(state: SavedState): Promise<boolean>;
  /** Saves a new sign-in in its place; false as for `renew`. */
  replace(signIn: SavedSignIn): Promise<boolean>;
}

/** Throws SignInUnreadable. */
export function openHeldSignIn(
  stored: StoredSignIn,
  connectionId: string,
  holder: SignInHolder,
  { signIns, vault }: Pick<SignInAccess, "signIns" | "vault">,
): HeldSignIn {
  const { state, probe } = vault.open(connectionId, stored);
  const replace = (signIn: SavedSignIn) =>
    signIns.renew(connectionId, stored.revision, vault.seal(connectionId, signIn), holder);
  return { state, probe, replace, renew: (newer) => replace({ state: newer, probe }) };
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
