import { parseUuid } from "../lib/uuid.ts";

/** A background task. When it throws, the job is retried as often as it allows. */
export type Task = (payload: unknown, context: TaskContext) => Promise<void>;

interface TaskContext {
  /** Adds a job, or replaces the waiting one with the same key. */
  add(job: Job): Promise<void>;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** The payload is stored unencrypted. */
export interface Job {
  readonly task: string;
  readonly payload: object;
  readonly key: string;
  readonly maxAttempts: number;
}

/** A task that runs periodically, and once when a worker starts, to catch up. */
export interface Schedule {
  readonly task: string;
  /** Five crontab fields, in UTC. */
  readonly at: string;
}

/** The background jobs of one subject. */
export interface JobSet {
  readonly tasks: Readonly<Record<string, Task>>;
  readonly schedules: readonly Schedule[];
  /** How many jobs of the set one process runs at the same time. */
  readonly concurrency: number;
  /** Jobs with one of these flags are skipped for now. Called before each job. */
  readonly listFlagsToSkip?: () => string[];
}

/** The id in a field of a job's payload. */
export function readId(payload: unknown, field: string): string {
  const value = typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>)[field] : null;
  const id = typeof value === "string" ? parseUuid(value) : null;
  if (id === null) throw new Error(`The job has no ${field}`);
  return id;
}
