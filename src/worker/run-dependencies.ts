import type { Errand, ErrandLimits, ErrandOutcome } from "../agent/loop/errand.ts";
import type { Planner } from "../agent/planner/planner.ts";
import type { Judge } from "../agent/verifier/judge.ts";
import type { SavedState } from "../connections/vault/saved-sign-in.ts";
import type { ArtifactKeeper } from "../executions/artifacts.ts";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import type { ApplicationRules, QueueStore } from "../executions/queue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Tracer } from "../lib/tracing.ts";
import type { ReadinessChecks } from "./readiness.ts";
import type { SignInAccess } from "./run-sign-in.ts";

export type BrowserSession = Awaited<ReturnType<Errand["openSession"]>>;

/** What every run of a worker works with. */
export interface RunDependencies extends SignInAccess, ReadinessChecks {
  queue: QueueStore;
  updates: ExecutionUpdates;
  artifacts: ArtifactKeeper;
  /** The agent. */
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  planner: Planner;
  judge: Judge | null;
  openSession(rules: SessionRules, signal: AbortSignal): Promise<BrowserSession>;
  findOutputProblems: Errand["findOutputProblems"];
  limits: ErrandLimits;
  leaseMs: number;
  /** How long a run that was told to stop has for it, before it is left behind. */
  stopPatienceMs: number;
  clock: Clock;
  logger: Logger;
  tracer: Tracer;
  /** Whether it is the database that is out of reach: then trying again is worth while. */
  isUnavailable(error: unknown): boolean;
}

/** What may be done in a browser, and as whom. */
interface SessionRules {
  allowedHosts: readonly string[];
  access: ApplicationRules["access"];
  /** Of the user whom the site knows; null for nobody. */
  state: SavedState | null;
}
