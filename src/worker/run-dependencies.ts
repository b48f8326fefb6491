import type { Errand, ErrandLimits, ErrandOutcome } from "../agent/loop/errand.ts";
import type { Planner } from "../agent/planner/planner.ts";
import type { Judge } from "../agent/verifier/judge.ts";
import type { SignInRenewals } from "../connections/sign-in/renew-sign-in.ts";
import type { SavedState, SignInStore } from "../connections/vault/saved-sign-in.ts";
import type { Vault } from "../connections/vault/vault.ts";
import type { ArtifactWriter } from "../executions/artifacts.ts";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import type { RunInteractions } from "../executions/interactions.ts";
import type { ApplicationRules, QueueStore } from "../executions/queue.ts";
import type { SpendingStore } from "../executions/spending.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Tracer } from "../lib/tracing.ts";
import type { RecipeRunStore } from "../recipes/recipe-store.ts";
import type { LiveViewAccess } from "./live-view.ts";
import type { ReadinessChecks } from "./readiness.ts";

export type BrowserSession = Awaited<ReturnType<Errand["openSession"]>>;

/** An errand before the user's sign-in is loaded. */
export type ErrandWithoutSignIn = Omit<Errand, "signIn">;

/** Where saved sign-ins are, and how to decrypt them. */
export interface SignInAccess {
  /** Signs users in again with their stored credentials. */
  renewals: SignInRenewals;
  signIns: Pick<SignInStore, "find" | "renew">;
  vault: Pick<Vault, "open" | "seal">;
}

/** What every run needs. */
export interface RunDependencies extends SignInAccess, ReadinessChecks {
  queue: QueueStore;
  updates: ExecutionUpdates;
  artifacts: ArtifactWriter;
  liveView: LiveViewAccess;
  interactions: RunInteractions;
  spending: SpendingStore;
  recipes: RecipeRunStore;
  /** Whether this installation runs and learns recipes. */
  usesRecipes: boolean;
  /** Whether somebody watches the runs of this process who can answer, such as a person at a terminal. */
  isAttended: boolean;
  /** The agent. */
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  planner: Planner;
  judge: Judge | null;
  openSession(rules: SessionRules, signal: AbortSignal): Promise<BrowserSession>;
  findOutputProblems: Errand["findOutputProblems"];
  limits: ErrandLimits;
  leaseMs: number;
  /** How long a run may take to stop before it is abandoned. */
  stopTimeoutMs: number;
  clock: Clock;
  logger: Logger;
  tracer: Tracer;
  /** Whether the error means that the database is unavailable, so that a retry makes sense. */
  isUnavailable(error: unknown): boolean;
}

/** What a browser session may do, and as whom. */
interface SessionRules {
  allowedHosts: readonly string[];
  access: ApplicationRules["access"];
  /** The user's saved browser state; null for a signed-out session. */
  state: SavedState | null;
}
