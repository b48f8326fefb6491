import { setTimeout as sleep } from "node:timers/promises";
import { isTerminal } from "../../src/executions/execution.ts";
import { createExecutions } from "../../src/executions/executions.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createExecutionStore } from "../../src/storage/sql/executions.ts";
import { createRecipeMatchStore } from "../../src/storage/sql/recipes.ts";
import { type Counters, type Start, serve } from "./protocol.ts";

/** As by default. */
const POOL_SIZE = 10;
const WAIT_SECONDS = 3_600;
const RETRY_MS = 1_000;

// What an api process does for its clients, without HTTP: each creates an execution, asks until it has ended, and goes on.
serve(async ({ connectionString, connectionIds, shape: { pollSeconds } }: Start, counters: Counters) => {
  const logger = createLogger("silent", process.stderr);
  const database = openDatabase({ connectionString, poolSize: POOL_SIZE, onError: () => {} });
  const notifications = createNotifications({ connectionString, pool: database.pool, logger });
  const store = createExecutionStore(database, notifications);
  const stopping = new AbortController();
  const executions = createExecutions({
    store: {
      ...store,
      create: counters.wrap("create", store.create),
      find: counters.wrap("poll", store.find),
    },
    updates: notifications,
    recipes: createRecipeMatchStore(database),
    price: 1,
    maxQueued: 0,
    findOutputSchemaProblem: async () => null,
  });

  async function waitForEnd(connectionId: string, executionId: string): Promise<void> {
    const { signal } = stopping;
    if (pollSeconds === 0) {
      await executions.waitUntilEnded(connectionId, executionId, WAIT_SECONDS, signal);
      return;
    }
    for (let hasEnded = false; !hasEnded; ) {
      await sleep(pollSeconds * 1_000 * (0.5 + Math.random()), undefined, { signal });
      hasEnded = isTerminal((await executions.get(connectionId, executionId)).status);
    }
  }

  async function live(connectionId: string): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const { execution } = await executions.create(connectionId, { prompt: "Read the price." }, null);
        await waitForEnd(connectionId, execution.id);
      } catch {
        if (stopping.signal.aborted) return;
        counters.fail();
        await sleep(RETRY_MS);
      }
    }
  }

  for (const id of connectionIds) void live(id);
  return async () => stopping.abort();
});
