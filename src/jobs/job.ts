/** What is done in the background, by name. Throwing has it tried again, as often as the job allows. */
export type Task = (payload: unknown, context: TaskContext) => Promise<void>;

interface TaskContext {
  /** Adds a job; one that waits under the same key is replaced. */
  add(job: Job): Promise<void>;
  /** Aborted when the process is about to end. */
  readonly signal: AbortSignal;
}

/** The payload stands in the database in clear. */
export interface Job {
  readonly task: string;
  readonly payload: object;
  readonly key: string;
  readonly maxAttempts: number;
}

/** A task that is done again and again, and once when a worker starts, for what was missed. */
export interface Schedule {
  readonly task: string;
  /** Five fields as in a crontab, in UTC. */
  readonly at: string;
}

/** What one subject has done in the background. */
export interface JobSet {
  readonly tasks: Readonly<Record<string, Task>>;
  readonly schedules: readonly Schedule[];
  /** How many of its jobs one process does at a time. */
  readonly concurrency: number;
  /** Jobs with one of these flags are left alone for now; asked before each job. */
  readonly listFlagsToSkip?: () => string[];
}
