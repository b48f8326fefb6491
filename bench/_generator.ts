/** The load generator: a process of its own, so that what it costs is not taken from the servers it measures. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { runClosedLoop } from "./_closed-loop.ts";
import { HttpConnection } from "./_http-connection.ts";
import type { HttpWork, Job, JobAnswer, JobResult, StatementWork } from "./_job.ts";
import { withValue } from "./_recorded-statements.ts";

const pools = new Map<string, pg.Pool>();

process.on("message", (job: Job) => {
  run(job).then(
    (result) => answer({ result }),
    (error: Error) => answer({ failure: error.message }),
  );
});
// Nobody is left to report to.
process.on("disconnect", () => process.exit());

function answer(message: JobAnswer): void {
  process.send?.(message);
}

function run(job: Job): Promise<JobResult> {
  return job.work.kind === "http" ? sendRequests(job, job.work) : sendStatements(job, job.work);
}

async function sendRequests(job: Job, { port, choices, status }: HttpWork): Promise<JobResult> {
  using connections = new DisposableStack();
  const workers = Array.from({ length: job.concurrency }, () => connections.use(new HttpConnection(port)));
  const { unique } = job;
  const nextUnique = createUnique();
  return await runClosedLoop({
    ...job,
    async call(worker, index) {
      const request = pick(choices, index);
      const text = unique === null ? request : request.replace(unique, nextUnique());
      const answered = await pick(workers, worker).request(text);
      if (answered.status !== status) throw new Error(`${answered.status} instead of ${status}: ${answered.body}`);
    },
  });
}

function sendStatements(job: Job, { connectionString, poolSize, choices, rows }: StatementWork): Promise<JobResult> {
  const pool = findPool(connectionString, poolSize);
  const { unique } = job;
  const nextUnique = createUnique();
  return runClosedLoop({
    ...job,
    async call(_worker, index) {
      const recorded = pick(choices, index);
      const statements = unique === null ? recorded : withValue(recorded, unique, nextUnique());
      let count: number | null = 0;
      for (const statement of statements) count = (await pool.query(statement)).rowCount;
      if (count !== rows) throw new Error(`${count} rows instead of ${rows}`);
    },
  });
}

/** Kept between jobs, as a server keeps its own: connecting is not what is measured. */
function findPool(connectionString: string, max: number): pg.Pool {
  const pool = pools.get(connectionString) ?? new pg.Pool({ connectionString, max });
  pools.set(connectionString, pool);
  return pool;
}

function createUnique(): () => string {
  const prefix = randomUUID();
  let count = 0;
  return () => `${prefix}-${++count}`;
}

function pick<Item>(items: Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}
