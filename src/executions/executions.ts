import type { ExecutionEvidence, ExecutionStatus } from "../contract/execution.ts";
import type { ExecutionEvent } from "../contract/execution-event.ts";
import { CallerError } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";
import { type CreateDependencies, createExecutionCreator, type ExecutionCreator } from "./create-execution.ts";
import { EvidenceCollector } from "./evidence.ts";
import { type ExecutionRecord, isTerminal } from "./execution.ts";
import type { ExecutionStore, ExecutionUpdates } from "./execution-store.ts";

/** What a connection can do with its executions. The connection is always the token's, so no id gives access to another's. */
export interface Executions {
  create: ExecutionCreator;
  get(connectionId: string, executionId: string): Promise<ExecutionRecord>;
  /** As `get`, but returns only when the execution has ended, `seconds` have passed or `signal` aborts. */
  waitUntilEnded(
    connectionId: string,
    executionId: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<ExecutionRecord>;
  list(
    connectionId: string,
    page: { limit: number; after: string | null; status?: ExecutionStatus | undefined },
  ): Promise<{ executions: ExecutionRecord[]; hasMore: boolean }>;
  cancel(connectionId: string, executionId: string): Promise<ExecutionRecord>;
  listEvents(
    connectionId: string,
    executionId: string,
    page: { after: number; limit: number },
  ): Promise<{ events: ExecutionEvent[]; hasMore: boolean }>;
  /** What it visited, changed and was verified with. Throws while it has not ended. */
  getEvidence(connectionId: string, executionId: string): Promise<ExecutionEvidence>;
  /** Events in batches, oldest first, until the terminal one or until `signal` aborts. Throws when there is no such execution. */
  followEvents(
    connectionId: string,
    executionId: string,
    after: number,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<ExecutionEvent[]>>;
}

interface Followed {
  connectionId: string;
  executionId: string;
  signal: AbortSignal;
}

interface EventPosition {
  lastId: number;
  /** Whether the execution had ended when they were read. */
  hasEnded: boolean;
}

interface EventBatch extends EventPosition {
  events: ExecutionEvent[];
  isLast: boolean;
}

interface ExecutionsDependencies extends CreateDependencies {
  store: ExecutionStore;
  updates: ExecutionUpdates;
}

// Notifications can be lost, so waiting also polls.
const POLL_MS = 5_000;
const FOLLOW_BATCH = 100;
const WATCH_MS = 60_000;
/**
 * A watch that another follower keeps is only extended once half of it is over. Half of it later would be too late: that follower may
 * be gone, and following comes back here only every `POLL_MS`.
 */
const WATCH_AGAIN_MS = WATCH_MS / 3;
const TERMINAL_EVENTS: ReadonlySet<string> = new Set(["execution.completed", "execution.failed"]);

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

  /** Null when its state has changed since it was read. */
  async function stop(execution: ExecutionRecord): Promise<ExecutionRecord | null> {
    if (execution.status === "QUEUED") return store.cancelQueued(execution.id);
    return (await store.requestCancel(execution.id)) ? execution : null;
  }

  async function readEvents({ connectionId, executionId }: Followed, { lastId, hasEnded }: EventPosition) {
    const id = parseUuid(executionId);
    const [{ status }, events] = await Promise.all([
      get(connectionId, executionId),
      id === null ? [] : store.listEvents(id, { after: lastId, limit: FOLLOW_BATCH }),
    ]);
    const last = events.at(-1);
    return {
      events,
      lastId: last?.id ?? lastId,
      hasEnded: isTerminal(status),
      // Events that are read after a terminal state was read are complete.
      isLast: last === undefined ? hasEnded : TERMINAL_EVENTS.has(last.type),
    };
  }

  /** To be called in each round of following. */
  function watchRepeatedly(executionId: string): () => Promise<void> {
    let dueAtMs = 0;
    return async () => {
      if (performance.now() < dueAtMs) return;
      await store.watch(executionId, WATCH_MS);
      dueAtMs = performance.now() + WATCH_AGAIN_MS;
    };
  }

  async function* follow(followed: Followed, first: EventBatch): AsyncGenerator<ExecutionEvent[]> {
    const { signal } = followed;
    const executionId = followed.executionId.toLowerCase();
    const keepWatched = watchRepeatedly(executionId);
    let batch = first;
    for (;;) {
      if (batch.events.length > 0) yield batch.events;
      if (batch.isLast || signal.aborted) return;
      await keepWatched();
      // Subscribe before reading, so that no update is missed in between.
      using update = waitForUpdate(updates, executionId, POLL_MS, signal);
      batch = await readEvents(followed, batch);
      if (batch.events.length === 0 && !batch.hasEnded) await update.arrived;
    }
  }

  return {
    get,

    create: createExecutionCreator(dependencies),

    async waitUntilEnded(connectionId, executionId, seconds, signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
      for (;;) {
        // Subscribe before reading, so that no update is missed in between.
        using update = waitForUpdate(updates, executionId.toLowerCase(), POLL_MS, deadline);
        const execution = await get(connectionId, executionId);
        if (isTerminal(execution.status) || deadline.aborted) return execution;
        await update.arrived;
      }
    },

    async list(connectionId, { limit, after, status = null }) {
      const cursor = after === null ? null : parseUuid(after);
      // One more than requested shows whether there are more.
      const found =
        after !== null && cursor === null
          ? null
          : await store.list(connectionId, { limit: limit + 1, after: cursor, status });
      if (found === null) {
        throw new CallerError(
          "INVALID_CURSOR",
          "after must be the id of an execution of this connection: the last one of the previous page.",
        );
      }
      return { executions: found.slice(0, limit), hasMore: found.length > limit };
    },

    async cancel(connectionId, executionId) {
      // A worker may start it, end it or put it back in between: then read it again.
      for (;;) {
        const execution = await get(connectionId, executionId);
        if (execution.terminal?.status === "canceled") return execution;
        if (isTerminal(execution.status)) {
          throw new CallerError(
            "EXECUTION_FINISHED",
            `The execution has already ended (${execution.terminal?.status}) and cannot be canceled.`,
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

    async getEvidence(connectionId, executionId) {
      const { id, status, result } = await get(connectionId, executionId);
      if (!isTerminal(status)) {
        throw new CallerError(
          "EXECUTION_NOT_FINISHED",
          "The execution has not ended yet. Its events show its progress.",
        );
      }
      if (result !== null) return result.evidence;
      const evidence = new EvidenceCollector();
      for (let after = 0; ; ) {
        const events = await store.listEvents(id, { after, limit: FOLLOW_BATCH });
        for (const event of events) evidence.add(event);
        const last = events.at(-1);
        if (last === undefined) return evidence.collect();
        after = last.id;
      }
    },

    async followEvents(connectionId, executionId, after, signal) {
      const followed = { connectionId, executionId, signal };
      return follow(followed, await readEvents(followed, { lastId: after, hasEnded: false }));
    },
  };
}

/** Resolves at the next notification, after `maxMs`, or when `signal` aborts, whichever comes first. */
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
