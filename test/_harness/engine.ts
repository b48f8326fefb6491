import type { Outcome } from "../../src/executions/execution-state.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createHints } from "../../src/storage/hints.ts";
import { createExecutionStore } from "../../src/storage/sql-executions.ts";
import type { TestService } from "./service.ts";

/** Moves an execution to RUNNING, as whoever runs it would. */
export async function startDirectly({ database }: TestService, executionId: string): Promise<void> {
  await database.query("update executions set status = 'RUNNING', updated_at = now() where id = $1", [executionId]);
}

export const COMPLETED: Outcome = {
  status: "COMPLETED",
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
};

/** Ends a running execution through the real store, on a connection of its own, as another process would. */
export async function finishDirectly({ database }: TestService, executionId: string, status: "COMPLETED" | "FAILED") {
  await using disposables = new AsyncDisposableStack();
  const own = disposables.use(openDatabase({ connectionString: database.url, poolSize: 2, onError: () => {} }));
  const logger = createLogger("silent", process.stderr);
  const hints = disposables.use(createHints({ connectionString: database.url, pool: own.pool, logger }));
  return await createExecutionStore(own, hints).finish(
    executionId,
    "RUNNING",
    status === "COMPLETED" ? COMPLETED : FAILED,
  );
}
