import type { CreateExecution } from "../contract/execution.ts";
import { CallerError } from "../lib/errors.ts";
import { NO_TRACES, parseTraceparent, type Tracer, withSpan } from "../lib/tracing.ts";
import { checkCreateRequest, hashCreateRequest, invalidRequest } from "./create-request.ts";
import type { ExecutionRecord } from "./execution.ts";
import { countCreate } from "./execution-metrics.ts";
import type { CreateOutcome, ExecutionStore } from "./execution-store.ts";

export interface CreateDependencies {
  store: Pick<ExecutionStore, "create">;
  price: number;
  /** How many executions of one connection may be queued; 0 is no limit. */
  maxQueued: number;
  findOutputSchemaProblem(schema: object, connectionId: string): Promise<string | null>;
  tracer?: Tracer;
}

interface Created {
  execution: ExecutionRecord;
  replayed: boolean;
  /** For the log; null when there is no trace. */
  traceId: string | null;
}

export type ExecutionCreator = (
  connectionId: string,
  body: CreateExecution,
  key: string | null,
  /** The caller's trace context, which the execution's trace then continues. */
  traceparent?: string | null,
) => Promise<Created>;

const QUEUE_FULL_RETRY_SECONDS = 30;

export function createExecutionCreator(dependencies: CreateDependencies): ExecutionCreator {
  const { store, price, maxQueued, findOutputSchemaProblem, tracer = NO_TRACES } = dependencies;
  const queueLimit = createQueueLimit(maxQueued);

  async function create(
    connectionId: string,
    body: CreateExecution,
    key: string | null,
    traceparent: string | null,
  ): Promise<Omit<Created, "traceId">> {
    checkCreateRequest(body);
    if (body.output_schema) {
      const problem = await findOutputSchemaProblem(body.output_schema, connectionId);
      if (problem !== null) throw invalidRequest([{ path: "output_schema", message: problem }]);
    }
    const requestHash = hashCreateRequest(body);
    const creation = await store.create({
      connectionId,
      prompt: body.prompt,
      startUrl: body.start_url ?? null,
      outputSchema: body.output_schema ?? null,
      credits: price,
      maxQueued: queueLimit.next(connectionId),
      idempotency: key === null ? null : { key, requestHash },
      traceparent,
    });
    if (creation.outcome === "queue_full") queueLimit.noteFull(connectionId);
    return settle(creation, requestHash);
  }

  function settle(creation: CreateOutcome, requestHash: Buffer): Omit<Created, "traceId"> {
    const isAnother = creation.outcome === "replayed" && !creation.requestHash.equals(requestHash);
    countCreate(isAnother ? "key_reused" : creation.outcome);
    if (isAnother) throw keyReused();
    if (creation.outcome === "created" || creation.outcome === "replayed") {
      return { execution: creation.execution, replayed: creation.outcome === "replayed" };
    }
    throw toCallerError(creation, { price, maxQueued });
  }

  return (connectionId, body, key, parent = null) => {
    const attributes = { "errand.connection_id": connectionId };
    return withSpan(tracer.start("execution.create", { parent, kind: "server", attributes }), async (span) => {
      // Without traces here, the caller's still goes on where the execution is run, should there be some there.
      const traceparent = span?.traceparent ?? (parseTraceparent(parent) === null ? null : parent);
      const created = await create(connectionId, body, key, traceparent);
      span?.set({ "errand.execution_id": created.execution.id, "errand.replayed": created.replayed });
      return { ...created, traceId: span?.traceId ?? null };
    });
  };
}

function keyReused(): CallerError {
  return new CallerError(
    "IDEMPOTENCY_KEY_REUSED",
    "This Idempotency-Key was used before with a different request body. Use a new key for a new request.",
  );
}

function toCallerError(
  { outcome }: Exclude<CreateOutcome, { execution: ExecutionRecord }>,
  { price, maxQueued }: Pick<CreateDependencies, "price" | "maxQueued">,
): CallerError {
  switch (outcome) {
    case "reauthorization_required":
      return new CallerError(
        "CONNECTION_REAUTHORIZATION_REQUIRED",
        "The user must sign in again: send them through the authorization link once more.",
      );
    case "queue_full":
      return new CallerError(
        "RATE_LIMITED",
        `This connection has ${maxQueued} executions in the queue already. Wait until some have ended, or cancel some.`,
        { retryAfterSeconds: QUEUE_FULL_RETRY_SECONDS },
      );
    case "insufficient_credits":
      return new CallerError(
        "INSUFFICIENT_CREDITS",
        `An execution costs ${price}, and the application's owner has fewer credits left.`,
      );
  }
}

/**
 * How many executions of one connection may be queued. Counting takes longer the more there are, so with a high limit it
 * is done for every hundredth part of it only: a queue may get a little longer than the limit, by one part per process.
 */
interface QueueLimit {
  /** For the next create: what to count up to, or null when there is no need to count. */
  next(connectionId: string): number | null;
  /** From now on every create of the connection is counted, until one finds room again. */
  noteFull(connectionId: string): void;
}

const PARTS = 100;
const MAX_REMEMBERED = 10_000;

/** 0 is no limit. */
export function createQueueLimit(maxQueued: number): QueueLimit {
  const uncounted = new Map<string, number>();
  const part = Math.max(1, Math.floor(maxQueued / PARTS));

  function remember(connectionId: string, count: number): void {
    // Re-insertion keeps the map ordered by last use.
    uncounted.delete(connectionId);
    uncounted.set(connectionId, count);
    if (uncounted.size > MAX_REMEMBERED) uncounted.delete(uncounted.keys().next().value ?? "");
  }

  return {
    next(connectionId) {
      if (maxQueued === 0) return null;
      const count = uncounted.get(connectionId) ?? part;
      remember(connectionId, count >= part ? 1 : count + 1);
      return count >= part ? maxQueued : null;
    },
    noteFull(connectionId) {
      uncounted.delete(connectionId);
    },
  };
}
