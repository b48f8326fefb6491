import { Logger as JobLogger, parseCronItems, type Runner, run, type TaskList } from "graphile-worker";
import type pg from "pg";
import { Counter, Histogram } from "prom-client";
import type { Logger } from "../lib/logger.ts";
import { Backoff, withTimeout } from "../lib/waiting.ts";
import type { Job, JobSet, Schedule, Task } from "./job.ts";
import { openJobPool } from "./job-pool.ts";

interface JobsOptions extends JobSet {
  connectionString: string;
  logger: Logger;
}

/** How long a job that is under way has when the process ends, before it is told to stop. */
const STOP_PATIENCE_MS = 3_000;
/** And how long the runner has for its leave: a database that has gone silent would keep it for ever. */
const STOP_TIMEOUT_MS = 10_000;
/** Beside those of the jobs: one listens, one looks after the schedule. */
const RUNNER_CONNECTIONS = 2;

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
  return concurrency + RUNNER_CONNECTIONS;
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
    await resetFutureSchedules(connections.pool);
    onStarted();
    await Promise.race([runSchedulesNow(runner, options.schedules).then(() => runner.promise), stopped]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // It rejects when the runner has given up by itself: then there is nothing to stop.
    await withTimeout(
      runner.stop().catch(() => {}),
      STOP_TIMEOUT_MS,
    );
  }
}

/** A process whose clock ran ahead would have put off all schedules until its time has come. */
async function resetFutureSchedules(pool: pg.Pool): Promise<void> {
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
        (payload, { addJob, abortSignal }) =>
          counted(payload, { add: (job) => addJobWithKey(addJob, job), signal: abortSignal }),
      ];
    }),
  );
}

async function addJobWithKey(addJob: Runner["addJob"], { task, payload, key, maxAttempts }: Job): Promise<void> {
  // Keeping its place: what is asked for again and again must still have its turn.
  await addJob(task, payload, { jobKey: key, jobKeyMode: "preserve_run_at", maxAttempts });
}

async function runSchedulesNow({ addJob }: Runner, schedules: readonly Schedule[]): Promise<void> {
  for (const { task } of schedules) await addJobWithKey(addJob, { task, payload: {}, key: task, maxAttempts: 1 });
}

/** What the library says of itself: its messages, and nothing of what it attaches to them. */
function toJobLogger(logger: Logger): JobLogger {
  return new JobLogger(({ taskIdentifier, jobId }) => (level, message) => {
    const job = taskIdentifier === undefined ? {} : { task: taskIdentifier, job_id: jobId };
    if (level === "error" || level === "warning") logger.warn(job, message);
    else logger.debug(job, message);
  });
}

/** In the registry of the process, where /metrics finds them. */
const jobs = new Counter({
  name: "errand_jobs_total",
  help: "Attempts at jobs in this process, by task and outcome: done or failed (tried again as often as the job allows).",
  labelNames: ["task", "outcome"],
});
const durations = new Histogram({
  name: "errand_job_duration_seconds",
  help: "How long attempts at jobs took, by task.",
  labelNames: ["task"],
  buckets: [0.01, 0.1, 0.5, 1, 5, 15, 60, 300],
});

/** The same task, counted under its name. */
function countJobs(name: string, task: Task): Task {
  for (const outcome of ["done", "failed"]) jobs.inc({ task: name, outcome }, 0);
  return async (payload, context) => {
    const startedAtMs = performance.now();
    try {
      await task(payload, context);
      jobs.inc({ task: name, outcome: "done" });
    } catch (error) {
      jobs.inc({ task: name, outcome: "failed" });
      throw error;
    } finally {
      durations.observe({ task: name }, (performance.now() - startedAtMs) / 1_000);
    }
  };
}
