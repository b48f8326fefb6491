import type { ExecutionEvent } from "../contract/execution.ts";
import { CallerError } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";
import { type CreateDependencies, createExecutionCreator, type ExecutionCreator } from "./create-execution.ts";
import { type ExecutionRecord, isTerminal } from "./execution.ts";
import type { ExecutionStore, ExecutionUpdates } from "./execution-store.ts";

/** Everything a connection can do with its executions. The connection is always the token's: no id opens another's. */
export interface Executions {
  create: ExecutionCreator;
  get(connectionId: string, executionId: string): Promise<ExecutionRecord>;
  /** As `get`, but answers when the execution has ended, when `seconds` are over or when `signal` aborts. */
  waitUntilEnded(
    connectionId: string,
    executionId: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<ExecutionRecord>;
  list(
    connectionId: string,
    page: { limit: number; after: string | null },
  ): Promise<{ executions: ExecutionRecord[]; hasMore: boolean }>;
  cancel(connectionId: string, executionId: string): Promise<ExecutionRecord>;
  listEvents(
    connectionId: string,
    executionId: string,
    page: { after: number; limit: number },
  ): Promise<{ events: ExecutionEvent[]; hasMore: boolean }>;
  /** Events as they come, each batch oldest first, until the terminal one or until `signal` aborts. */
  followEvents(
    connectionId: string,
    executionId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<ExecutionEvent[]>;
}

interface ExecutionsDependencies extends CreateDependencies {
  store: ExecutionStore;
  updates: ExecutionUpdates;
}

// Hints can be missed, so whoever waits also looks by itself now and then.
const POLL_MS = 2_000;
const FOLLOW_BATCH = 100;

export function createExecutions(dependencies: ExecutionsDependencies): Executions {
  const { store, updates } = dependencies;

  async function get(connectionId: string, executionId: string): Promise<ExecutionRecord> {
    const uuid = parseUuid(executionId);
    const execution = uuid === null ? null : await store.find(connectionId, uuid);
    if (execution === null) {
      throw new CallerError("EXECUTION_NOT_FOUND", "This connection has no execution with this id.");
    }
    return execution;
  }

  /** Null when it is not any more where we saw it. */
  async function stop(execution: ExecutionRecord): Promise<ExecutionRecord | null> {
    if (execution.status === "QUEUED") return store.cancelQueued(execution.id);
    return (await store.requestCancel(execution.id)) ? execution : null;
  }

  return {
    get,

    create: createExecutionCreator(dependencies),

    async waitUntilEnded(connectionId, executionId, seconds, signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
      for (;;) {
        // Listening starts before looking, so that no update falls between the two.
        using update = waitForUpdate(updates, executionId.toLowerCase(), POLL_MS, deadline);
        const execution = await get(connectionId, executionId);
        if (isTerminal(execution.status) || deadline.aborted) return execution;
        await update.arrived;
      }
    },

    async list(connectionId, { limit, after }) {
      const cursor = after === null ? null : parseUuid(after);
      // One more than asked for tells whether more follow.
      const found =
        after !== null && cursor === null ? null : await store.list(connectionId, { limit: limit + 1, after: cursor });
      if (found === null) {
        throw new CallerError(
          "INVALID_CURSOR",
          "after must be the id of an execution of this connection: the last one of the previous page.",
        );
      }
      return { executions: found.slice(0, limit), hasMore: found.length > limit };
    },

    async cancel(connectionId, executionId) {
      // A worker may start it, end it or put it back between our look and our move: then look again.
      for (;;) {
        const execution = await get(connectionId, executionId);
        if (execution.terminal?.status === "canceled") return execution;
        if (isTerminal(execution.status)) {
          throw new CallerError(
            "EXECUTION_FINISHED",
            `The execution has ended already (${execution.terminal?.status}) and cannot be canceled.`,
          );
        }
        const stopped = await stop(execution);
        if (stopped !== null) return stopped;
      }
    },

    async listEvents(connectionId, executionId, { after, limit }) {
      const { id } = await get(connectionId, executionId);
      const events = await store.listEvents(id, { after, limit: limit + 1 });
      return { events: events.slice(0, limit), hasMore: events.length > limit };
    },

    async *followEvents(connectionId, executionId, after, signal) {
      const { id } = await get(connectionId, executionId);
      let seen = after;
      while (!signal.aborted) {
        using update = waitForUpdate(updates, id, POLL_MS, signal);
        // The state first: events read after it had ended are all there will be.
        const { status } = await get(connectionId, id);
        const events = await store.listEvents(id, { after: seen, limit: FOLLOW_BATCH });
        const last = events.at(-1);
        if (last !== undefined) {
          seen = last.id;
          yield events;
        } else if (isTerminal(status)) {
          return;
        } else {
          await update.arrived;
        }
      }
    },
  };
}

/** Resolves at the next hint, after `maxMs`, or when `signal` aborts, whichever is first. */
export function waitForUpdate(
  updates: ExecutionUpdates,
  executionId: string,
  maxMs: number,
  signal: AbortSignal,
): Disposable & { arrived: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const subscription = updates.subscribe(executionId, resolve);
  const timer = setTimeout(resolve, maxMs);
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) resolve();
  return {
    arrived: promise,
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}
