import type { Outcome } from "../../src/executions/execution.ts";
import type { QueueNotifications, QueueStore } from "../../src/executions/queue.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createQueueStore } from "../../src/storage/sql/queue.ts";

export interface TestQueue extends AsyncDisposable {
  store: QueueStore;
  notifications: QueueNotifications;
}

/** The queue with its own connections, as in another process. */
export function openTestQueue(databaseUrl: string, poolSize = 4): TestQueue {
  const database = openDatabase({ connectionString: databaseUrl, poolSize, onError: () => {} });
  const logger = createLogger("silent", process.stderr);
  const notifications = createNotifications({ connectionString: databaseUrl, pool: database.pool, logger });
  return {
    store: createQueueStore(database, notifications),
    notifications,
    async [Symbol.asyncDispose]() {
      await notifications[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

interface WithDatabase {
  database: { url: string };
}

const LEASE_MS = 60_000;

/** Claims until this execution is running. Others that are claimed on the way stay claimed. */
export async function startDirectly({ database }: WithDatabase, executionId: string): Promise<void> {
  await using queue = openTestQueue(database.url);
  for (;;) {
    const claim = await queue.store.claim(LEASE_MS);
    if (claim === null) throw new Error(`execution ${executionId} is not in the queue`);
    if (claim.execution.id === executionId) return;
  }
}

export const COMPLETED: Outcome = {
  status: "COMPLETED",
  cost: null,
  terminal: { status: "verified", reason: "Every check agreed." },
  result: {
    final_text: "Done.",
    final_url: "https://shop.example/done",
    final_title: "Done",
    extracted: null,
    evidence: { urls: ["https://shop.example/"], verifier: { agreed: true, reason: "It is there." }, side_effects: [] },
  },
};

export const FAILED: Outcome = {
  status: "FAILED",
  terminal: { status: "unverified", reason: "The order is not in the list." },
  error: { code: "UNVERIFIED", message: "The verifier did not find the order." },
  aftermath: { sideEffects: [], verifier: null, cost: null },
};

/** Ends a running execution that was claimed once, as another process would. */
export async function finishDirectly({ database }: WithDatabase, executionId: string, status: "COMPLETED" | "FAILED") {
  await using queue = openTestQueue(database.url);
  return await queue.store.finish(executionId, 1, status === "COMPLETED" ? COMPLETED : FAILED);
}
