import type { CreateExecution } from "../contract/execution-request.ts";
import { CallerError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import { NO_TRACES, parseTraceparent, type Tracer, withSpan } from "../lib/tracing.ts";
import type { RecipeMatchStore } from "../recipes/recipe-store.ts";
import { chooseRecipe } from "./choose-recipe.ts";
import { checkCreateRequest, hashCreateRequest, invalidRequest } from "./create-request.ts";
import type { ExecutionRecord } from "./execution.ts";
import { countCreate } from "./execution-metrics.ts";
import type { CreateOutcome, ExecutionStore } from "./execution-store.ts";

export interface CreateDependencies {
  store: Pick<ExecutionStore, "create" | "findReplay">;
  /** Null: this installation uses no recipes. */
  recipes: RecipeMatchStore | null;
  price: number;
  /** How many executions of one connection may be queued; 0 means no limit. */
  maxQueued: number;
  findOutputSchemaProblem(schema: object, connectionId: string): Promise<string | null>;
  tracer?: Tracer;
}

interface Created {
  execution: ExecutionRecord;
  replayed: boolean;
  /** For the log; null without tracing. */
  traceId: string | null;
}

export type ExecutionCreator = (
  connectionId: string,
  body: CreateExecution,
  key: string | null,
  /** The caller's trace context, which the execution's trace continues. */
  traceparent?: string | null,
) => Promise<Created>;

const QUEUE_FULL_RETRY_SECONDS = 30;

export function createExecutionCreator(dependencies: CreateDependencies): ExecutionCreator {
  const { store, recipes, price, maxQueued, findOutputSchemaProblem, tracer = NO_TRACES } = dependencies;
  const queueLimit = createQueueLimit(maxQueued);

  async function checkOutputSchema(connectionId: string, { output_schema }: CreateExecution): Promise<void> {
    const problem = output_schema ? await findOutputSchemaProblem(output_schema, connectionId) : null;
    if (problem !== null) throw invalidRequest([{ path: "output_schema", message: problem }]);
  }

  async function create(
    connectionId: string,
    body: CreateExecution,
    key: string | null,
    traceparent: string | null,
  ): Promise<Omit<Created, "traceId">> {
    checkCreateRequest(body);
    await checkOutputSchema(connectionId, body);
    const requestHash = hashCreateRequest(body);
    const choice = await chooseRecipe(recipes, connectionId, body);
    if (choice.kind === "refused") {
      // A retry finds its execution, also when the recipe was deleted since.
      const replay = key === null ? null : await store.findReplay(connectionId, key);
      if (replay === null) throw invalidRequest(choice.details);
      return toCreated(replay, requestHash);
    }
    const creation = await store.create({
      connectionId,
      prompt: body.prompt,
      startUrl: choice.startUrl,
      outputSchema: choice.outputSchema,
      recipe: choice.recipe,
      approval: body.approval ?? null,
      metadata: body.metadata ?? {},
      credits: price,
      maxQueued: queueLimit.next(connectionId),
      idempotency: key === null ? null : { key, requestHash },
      traceparent,
    });
    if (creation.outcome === "queue_full") queueLimit.noteFull(connectionId);
    return toCreated(creation, requestHash);
  }

  function toCreated(creation: CreateOutcome, requestHash: Buffer): Omit<Created, "traceId"> {
    const isKeyReused = creation.outcome === "replayed" && !creation.requestHash.equals(requestHash);
    countCreate(isKeyReused ? "key_reused" : creation.outcome);
    if (isKeyReused) throw keyReused();
    if (creation.outcome === "created" || creation.outcome === "replayed") {
      return { execution: creation.execution, replayed: creation.outcome === "replayed" };
    }
    throw toCallerError(creation, { price, maxQueued });
  }

  return (connectionId, body, key, parent = null) => {
    const attributes = { "errand.connection_id": connectionId };
    return withSpan(tracer.start("execution.create", { parent, kind: "server", attributes }), async (span) => {
      // Without tracing in this process, the caller's context is passed on to the worker, which may trace.
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
    "This Idempotency-Key was already used with a different request body. Use a new key for a new request.",
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
        "The user must sign in again: send them through the authorization link.",
      );
    case "queue_full":
      return new CallerError(
        "RATE_LIMITED",
        `This connection already has ${maxQueued} queued executions. Wait until some have ended, or cancel some.`,
        { retryAfterSeconds: QUEUE_FULL_RETRY_SECONDS },
      );
    case "insufficient_credits":
      return new CallerError(
        "INSUFFICIENT_CREDITS",
        `An execution costs ${pluralize(price, "credit")}, and the application's owner has fewer left. The owner needs more credits.`,
      );
  }
}

/**
 * Limits how many executions of one connection may be queued. Counting takes longer the more there are, so with a high limit
 * only one create in (limit / 100) counts: each process may exceed the limit by that much.
 */
interface QueueLimit {
  /** The limit that the next create must check, or null when it need not count. */
  next(connectionId: string): number | null;
  /** The queue was full: the next create counts again. */
  noteFull(connectionId: string): void;
}

const PARTS = 100;
const MAX_REMEMBERED = 10_000;

/** 0 means no limit. */
export function createQueueLimit(maxQueued: number): QueueLimit {
  const uncounted = new Map<string, number>();
  const part = Math.max(1, Math.floor(maxQueued / PARTS));

  function remember(connectionId: string, count: number): void {
    // Re-inserting keeps the map ordered by last use.
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
