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

/** How long a running job may continue when the process stops, before its signal aborts. */
const STOP_PATIENCE_MS = 3_000;
/** How long stopping may take in total: a database that no longer responds would block it forever. */
const STOP_TIMEOUT_MS = 10_000;
/** In addition to one per job: one that listens and one for the schedule. */
const RUNNER_CONNECTIONS = 2;

/** Runs jobs and schedules until disposed. Any number of processes share the work. */
export function startJobs(options: JobsOptions): AsyncDisposable {
  const { logger } = options;
  const stopping = new AbortController();

  async function keepRunning(): Promise<void> {
    const backoff = new Backoff({ firstMs: 1_000, maxMs: 60_000 });
    while (!stopping.signal.aborted) {
      try {
        await runUntil(stopping.signal, options, () => backoff.reset());
      } catch (error) {
        logger.warn({ err: error }, "Job runner failed; retrying");
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

/** The maximum number of database connections that a runner uses. */
export function countConnections({ concurrency }: Pick<JobSet, "concurrency">): number {
  return concurrency + RUNNER_CONNECTIONS;
}

/** Returns when the signal aborts; throws when the runner gives up because the database was away for too long. */
async function runUntil(signal: AbortSignal, options: JobsOptions, onStarted: () => void): Promise<void> {
  const { connectionString, logger } = options;
  await using connections = openJobPool({
    connectionString,
    max: countConnections(options),
    onError: (error) => logger.debug({ err: error }, "Job database connection lost"),
  });
  const runner = await run({
    pgPool: connections.pool,
    concurrency: options.concurrency,
    noHandleSignals: true,
    taskList: toTaskList(options.tasks),
    parsedCronItems: parseCronItems(options.schedules.map(({ task, at }) => ({ task, match: at }))),
    forbiddenFlags: options.listFlagsToSkip ?? null,
    gracefulShutdownAbortTimeout: STOP_PATIENCE_MS,
    // In batch mode the runner awaits the completion updates when it stops; otherwise it does not, and their errors are lost.
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
    // Rejects when the runner has already given up: then there is nothing to stop.
    await withTimeout(
      runner.stop().catch(() => {}),
      STOP_TIMEOUT_MS,
    );
  }
}

/** A process with a fast clock may have recorded a run in the future, which would suspend all schedules until then. */
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
  // Adding the same key again must not postpone a waiting job.
  await addJob(task, payload, { jobKey: key, jobKeyMode: "preserve_run_at", maxAttempts });
}

async function runSchedulesNow({ addJob }: Runner, schedules: readonly Schedule[]): Promise<void> {
  for (const { task } of schedules) await addJobWithKey(addJob, { task, payload: {}, key: task, maxAttempts: 1 });
}

/** Logs the library's messages without their metadata, which may contain payloads. */
function toJobLogger(logger: Logger): JobLogger {
  return new JobLogger(({ taskIdentifier, jobId }) => (level, message) => {
    const job = taskIdentifier === undefined ? {} : { task: taskIdentifier, job_id: jobId };
    if (level === "error" || level === "warning") logger.warn(job, message);
    else logger.debug(job, message);
  });
}

/** In the default registry, which /metrics includes. */
const jobs = new Counter({
  name: "errand_jobs_total",
  help: "Job attempts in this process, by task and outcome: done or failed (retried as often as the job allows).",
  labelNames: ["task", "outcome"],
});
const durations = new Histogram({
  name: "errand_job_duration_seconds",
  help: "Duration of job attempts, by task.",
  labelNames: ["task"],
  buckets: [0.01, 0.1, 0.5, 1, 5, 15, 60, 300],
});

/** Wraps a task with metrics. */
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
