import type { Probe, SavedState } from "../connections/vault/saved-sign-in.ts";
import type { SignInHolder, SignInStore, StoredSignIn } from "../connections/vault/sign-in-store.ts";
import type { Vault } from "../connections/vault/vault.ts";
import { inTime } from "../lib/in-time.ts";
import type { Logger } from "../lib/logger.ts";
import type { BrowserSession } from "./run-dependencies.ts";

/** A connection's saved sign-in in the hands of whoever may use it now. It is never written down in clear. */
export interface HeldSignIn {
  readonly state: SavedState;
  readonly probe: Probe;
  /** Saves what has become of it; false when that is not wanted any more. */
  renew(state: SavedState): Promise<boolean>;
}

export interface SignInMeans {
  signIns: Pick<SignInStore, "find" | "renew">;
  vault: Pick<Vault, "open" | "seal">;
}

/** Throws SignInUnreadable. */
export function holdSignIn(
  stored: StoredSignIn,
  connectionId: string,
  holder: SignInHolder,
  { signIns, vault }: SignInMeans,
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
export async function keepSignIn(
  session: BrowserSession,
  held: HeldSignIn,
  { patienceMs, logger }: { patienceMs: number; logger: Logger },
): Promise<void> {
  try {
    const isKept = await inTime(captureAndRenew(session, held), patienceMs);
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
