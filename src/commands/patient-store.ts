import type { ExecutionStore } from "../executions/execution-store.ts";
import { Backoff } from "../lib/backoff.ts";
import { CallerError } from "../lib/caller-error.ts";
import { describeError } from "../lib/describe-error.ts";
import { isUnavailable } from "../storage/database.ts";

interface Patience {
  /** How long one answer is waited for. */
  patienceMs: number;
  /** Once for each time that the database goes away. */
  onAway(): void;
}

/** For somebody who waits for an execution: what is asked about it is asked again while the database is out of reach. */
export function createPatientStore(store: ExecutionStore, { patienceMs, onAway }: Patience): ExecutionStore {
  let isAway = false;

  function noteAway(): void {
    if (!isAway) onAway();
    isAway = true;
  }

  async function patiently<Answer>(executionId: string, ask: () => Promise<Answer>): Promise<Answer> {
    const backoff = new Backoff({ firstMs: 250, maxMs: 2_000 });
    const patience = AbortSignal.timeout(patienceMs);
    for (;;) {
      try {
        const answer = await ask();
        isAway = false;
        return answer;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (patience.aborted) throw describeLeaving(executionId, error);
        noteAway();
        await backoff.wait(patience);
      }
    }
  }

  return {
    // One that is created is not created again: whoever asked for it is told that it failed.
    ...store,
    find: (connectionId, executionId) => patiently(executionId, () => store.find(connectionId, executionId)),
    listEvents: (executionId, page) => patiently(executionId, () => store.listEvents(executionId, page)),
    // Both change nothing the second time.
    cancelQueued: (executionId) => patiently(executionId, () => store.cancelQueued(executionId)),
    requestCancel: (executionId) => patiently(executionId, () => store.requestCancel(executionId)),
  };
}

function describeLeaving(executionId: string, error: unknown): CallerError {
  return new CallerError(
    "UNAVAILABLE",
    [
      `The database is out of reach (${describeError(error)}) and was waited for in vain.`,
      `Execution ${executionId} is left as it stands there: once the database is back, workers end it if it had begun,`,
      "and may still carry it out if it had not.",
      "“errand doctor” says more.",
    ].join(" "),
    { cause: error },
  );
}
