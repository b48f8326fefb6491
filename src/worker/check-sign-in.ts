import { probeSignIn } from "../agent/loop/sign-in-probe.ts";
import { findSignedOutReason } from "../connections/sign-in/probe.ts";
import type { SignInRenewals } from "../connections/sign-in/renew-sign-in.ts";
import type { SignInStore, StoredSignIn } from "../connections/vault/saved-sign-in.ts";
import { SignInUnreadable, type Vault } from "../connections/vault/vault.ts";
import type { ApplicationRules, QueueStore } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { listRunHosts } from "./run-hosts.ts";
import { type HeldSignIn, openHeldSignIn, saveRefreshedSignIn } from "./run-sign-in.ts";

export interface CheckDependencies {
  queue: Pick<QueueStore, "findRules">;
  signIns: Pick<SignInStore, "find" | "renew" | "beginCheck" | "endCheck">;
  vault: Pick<Vault, "open" | "seal">;
  renewals: SignInRenewals;
  openSession: RunDependencies["openSession"];
  logger: Logger;
}

/** How long executions of the connection wait at most if this process dies. */
const HOLD_MS = 240_000;
/** Time limit for the check itself. Signing in with stored credentials has its own. */
const PROBE_MS = 90_000;
const SAVE_MS = 8_000;

/**
 * Checks on the site whether the user is still signed in, while nothing else uses the sign-in; does nothing when something
 * does. An unreachable site changes nothing. Throws when the check could not be made for a reason on our side.
 */
export async function checkSignIn(
  connectionId: string,
  dependencies: CheckDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { queue, signIns } = dependencies;
  const logger = dependencies.logger.child({ connection_id: connectionId });
  const rules = await queue.findRules(connectionId);
  const check = rules && (await signIns.beginCheck(connectionId, HOLD_MS));
  if (rules === null || check === null) return;
  const { expiresAt } = check;
  let isSignedOut = false;
  try {
    const held = openForCheck(check.signIn, connectionId, expiresAt, { ...dependencies, logger });
    isSignedOut =
      held !== null &&
      (await isSignedOutOnSite(held, rules, { ...dependencies, logger }, signal)) &&
      !(await isRenewed(connectionId, held, dependencies, signal));
  } finally {
    await signIns.endCheck(connectionId, expiresAt, isSignedOut);
  }
}

/** True also when that could not be tried, because the site was not available: the next check tries again. */
async function isRenewed(
  connectionId: string,
  held: HeldSignIn,
  { renewals }: CheckDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { outcome } = await renewals.renew(connectionId, held, held.replace, signal);
  return outcome === "renewed" || outcome === "unavailable";
}

/** Null when it cannot be decrypted: retrying would not help. */
function openForCheck(
  stored: StoredSignIn,
  connectionId: string,
  expiresAt: Date,
  dependencies: CheckDependencies,
): HeldSignIn | null {
  try {
    return openHeldSignIn(stored, connectionId, { kind: "check", expiresAt }, dependencies);
  } catch (error) {
    if (!(error instanceof SignInUnreadable)) throw error;
    dependencies.logger.error({ reason: error.message }, "A saved sign-in cannot be read and was not checked");
    return null;
  }
}

async function isSignedOutOnSite(
  held: HeldSignIn,
  rules: ApplicationRules,
  { openSession, logger }: CheckDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
  const allowedHosts = listRunHosts(rules, { prompt: "", startUrl: null });
  // With the application's own access: in a read-only session a site that cannot refresh its sign-in may look signed out.
  await using session = await openSession({ allowedHosts, access: rules.access, state: held.state }, limit);
  const { probe } = held;
  const reason = await probeSignIn(
    { probeUrl: probe.url, findSignedOut: (view) => findSignedOutReason(view, probe, rules.signInUrl) },
    session,
    limit,
  );
  logger.info({ signed_out: reason }, "Checked a sign-in");
  if (reason === null) await saveRefreshedSignIn(session, held, { timeoutMs: SAVE_MS, logger });
  return reason !== null;
}
