import type { Errand, ErrandLimits, ErrandOutcome } from "../agent/errand.ts";
import type { Planner } from "../agent/planner/planner.ts";
import type { Judge } from "../agent/verifier/judge/judge.ts";
import type { ArtifactKeeper } from "../executions/artifacts.ts";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { ApplicationRules, QueueStore } from "../queue/queue-store.ts";

export type BrowserSession = Awaited<ReturnType<Errand["openSession"]>>;

/** What every run of a worker works with. */
export interface RunDependencies {
  queue: QueueStore;
  updates: ExecutionUpdates;
  artifacts: ArtifactKeeper;
  /** The agent. */
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  planner: Planner;
  judge: Judge | null;
  openSession(rules: RunRules, signal: AbortSignal): Promise<BrowserSession>;
  /** Throws when no browser can be had at all. */
  checkBrowser(): Promise<void>;
  findOutputProblems: Errand["findOutputProblems"];
  limits: ErrandLimits;
  leaseMs: number;
  /** How long a run that was told to stop has for it, before it is left behind. */
  stopPatienceMs: number;
  clock: Clock;
  logger: Logger;
  /** Whether it is the database that is out of reach: then trying again is worth while. */
  isUnavailable(error: unknown): boolean;
}

/** What a run may do in its browser. */
interface RunRules {
  allowedHosts: readonly string[];
  access: ApplicationRules["access"];
}
