import { parseCronItems, type Runner, run, type TaskList } from "graphile-worker";
import type pg from "pg";
import { Backoff } from "../lib/backoff.ts";
import { inTime } from "../lib/in-time.ts";
import type { Logger } from "../lib/logger.ts";
import type { Job, JobSet, Schedule } from "./job.ts";
import { toJobLogger } from "./job-logger.ts";
import { countJobs } from "./job-metrics.ts";
import { openJobPool } from "./job-pool.ts";

interface JobsOptions extends JobSet {
  connectionString: string;
  logger: Logger;
}

/** How long a job that is under way has when the process ends, before it is told to stop. */
const STOP_PATIENCE_MS = 3_000;
/** And how long the runner has for its leave: a database that has gone silent would keep it for ever. */
const LEAVE_MS = 10_000;
/** Beside those of the jobs: one listens, one looks after the schedule. */
const OTHER_CONNECTIONS = 2;

/** Does jobs and keeps to schedules, until it is disposed of. Any number of processes share the work. */
export function startJobs(options: JobsOptions): AsyncDisposable {
  const { logger } = options;
  const stopping = new AbortController();

  async function keepRunning(): Promise<void> {
    const backoff = new Backoff({ firstMs: 1_000, maxMs: 60_000 });
    while (!stopping.signal.aborted) {
      try {
        await runUntil(stopping.signal, options, () => backoff.reset());
      } catch (error) {
        logger.warn({ err: error }, "jobs cannot be done: trying again");
      }
      await backoff.wait(stopping.signal);
    }
  }

  const running = keepRunning();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

/** Of PostgreSQL, at most. */
export function countConnections({ concurrency }: Pick<JobSet, "concurrency">): number {
  return concurrency + OTHER_CONNECTIONS;
}

/** Until the signal aborts, or the runner gives up because the database was away for too long. */
async function runUntil(signal: AbortSignal, options: JobsOptions, onStarted: () => void): Promise<void> {
  const { connectionString, logger } = options;
  await using connections = openJobPool({
    connectionString,
    max: countConnections(options),
    onError: (error) => logger.debug({ err: error }, "a database connection for jobs broke"),
  });
  const runner = await run({
    pgPool: connections.pool,
    concurrency: options.concurrency,
    noHandleSignals: true,
    taskList: toTaskList(options.tasks),
    parsedCronItems: parseCronItems(options.schedules.map(({ task, at }) => ({ task, match: at }))),
    forbiddenFlags: options.listFlagsToSkip ?? null,
    gracefulShutdownAbortTimeout: STOP_PATIENCE_MS,
    // Told in batches, jobs' ends are waited for when it stops; told one by one they are not, and their errors are nobody's.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: toJobLogger(logger),
  });
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await forgetFuture(connections.pool);
    onStarted();
    await Promise.race([doAtOnce(runner, options.schedules).then(() => runner.promise), stopped]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // It rejects when the runner has given up by itself: then there is nothing to stop.
    await inTime(
      runner.stop().catch(() => {}),
      LEAVE_MS,
    );
  }
}

/** A process whose clock ran ahead would have put off all schedules until its time has come. */
async function forgetFuture(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update graphile_worker._private_known_crontabs set last_execution = null
     where last_execution > now() + interval '10 minutes'`,
  );
}

function toTaskList(tasks: JobSet["tasks"]): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]): [string, TaskList[string]] => {
      const counted = countJobs(name, task);
      return [
        name,
        (payload, { addJob, abortSignal }) => counted(payload, { add: (job) => add(addJob, job), signal: abortSignal }),
      ];
    }),
  );
}

async function add(addJob: Runner["addJob"], { task, payload, key, maxAttempts }: Job): Promise<void> {
  // Keeping its place: what is asked for again and again must still have its turn.
  await addJob(task, payload, { jobKey: key, jobKeyMode: "preserve_run_at", maxAttempts });
}

async function doAtOnce({ addJob }: Runner, schedules: readonly Schedule[]): Promise<void> {
  for (const { task } of schedules) await add(addJob, { task, payload: {}, key: task, maxAttempts: 1 });
}
