import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Claim, QueueStore } from "../../src/executions/queue.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { type Database, openDatabase } from "../../src/storage/database.ts";
import { joinEmbeddedServer } from "../../src/storage/embedded/server.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createExecutionStore } from "../../src/storage/sql/executions.ts";
import { createQueueStore } from "../../src/storage/sql/queue.ts";
import { connectUsers } from "../harness/connected.ts";

/** A queue in its own PostgreSQL, in which one connection has a backlog and another has none. */
export interface ClaimStage extends AsyncDisposable {
  database: Database;
  /** Creates an execution for the connection without a backlog and times its claim. */
  timeClaimOfOther(): Promise<number>;
  /** Times a claim for the connection with the backlog. */
  timeClaimOfBacklog(): Promise<number>;
}

const LEASE_MS = 600_000;

export async function openClaimStage(backlog: number, onProgress: (text: string) => void): Promise<ClaimStage> {
  await using disposables = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  disposables.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString } = disposables.use(await joinEmbeddedServer(dataDir, () => {}));
  await migrate(connectionString);
  const database = disposables.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
  const logger = createLogger("silent", process.stderr);
  const notifications = disposables.use(createNotifications({ connectionString, pool: database.pool, logger }));
  const queue = createQueueStore(database, notifications);
  const executions = createExecutionStore(database, notifications);
  const [busy = "", other = ""] = (await connectUsers(database, 2)).map(({ connectionId }) => connectionId);
  onProgress(`Queueing ${backlog.toLocaleString("en")} executions of one connection`);
  await insertQueued(database, busy, backlog);
  // As with a busy worker, one execution of the backlog is always running, so the other connection is next in line.
  let running = await claimNext(queue, busy);
  const owned = disposables.move();
  return {
    database,
    async timeClaimOfOther() {
      await executions.create({
        connectionId: other,
        prompt: "Read the price.",
        startUrl: null,
        outputSchema: null,
        approval: null,
        metadata: {},
        recipe: null,
        credits: 1,
        maxQueued: null,
        idempotency: null,
        traceparent: null,
      });
      const { claim, ms } = await timeClaim(queue, other);
      await finish(queue, claim);
      return ms;
    },
    async timeClaimOfBacklog() {
      await finish(queue, running);
      const { claim, ms } = await timeClaim(queue, busy);
      running = claim;
      // Keeps the backlog at its size, so that the small one does not run out.
      await insertQueued(database, busy, 1);
      return ms;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Writes everything that creates would have written, in bulk. */
async function insertQueued({ pool }: Database, connectionId: string, count: number): Promise<void> {
  await pool.query(
    `with execution as (
       insert into executions (connection_id, prompt, credits, last_event_id)
       select $1, 'Read the price of article ' || n || '.', 1, 1 from generate_series(1, $2::int) as n returning id
     ), entry as (
       insert into credit_entries (owner_id, execution_id, kind, credits)
       select owners.id, execution.id, 'reserve', 1 from execution, owners
     ), owner as (
       update owners set balance = balance - $2
     ), event as (
       insert into execution_events (execution_id, id, type, data)
       select id, 1, 'execution.queued', '{}' from execution
     )
     update connections set queued_since = coalesce(queued_since, now()) where id = $1`,
    [connectionId, count],
  );
  if (count > 1) await pool.query("vacuum analyze");
}

async function timeClaim(queue: QueueStore, connectionId: string): Promise<{ claim: Claim; ms: number }> {
  const startedMs = performance.now();
  const claim = await claimNext(queue, connectionId);
  return { claim, ms: performance.now() - startedMs };
}

async function claimNext(queue: QueueStore, connectionId: string): Promise<Claim> {
  const claim = await queue.claim(LEASE_MS);
  if (claim?.execution.connectionId !== connectionId) throw new Error("An unexpected execution was claimed.");
  return claim;
}

async function finish(queue: QueueStore, { execution, fence }: Claim): Promise<void> {
  await queue.finish(execution.id, fence, {
    status: "FAILED",
    terminal: { status: "canceled", reason: "The benchmark is finished with it." },
    error: { code: "CANCELED", message: "The benchmark is finished with it." },
    aftermath: { sideEffects: [], verifier: null, cost: null },
  });
}
