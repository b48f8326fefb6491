import { Worker } from "node:worker_threads";
import { CallerError, OverloadedError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import type { SchemaRequest, SchemaResponse } from "./output-schema-thread.ts";

export interface OutputSchemaChecker extends AsyncDisposable {
  /**
   * Why a JSON Schema cannot be used, or null. Each requester has one schema checked at a time, so that none can block the
   * others.
   */
  findProblem(schema: object, requester: string): Promise<string | null>;
  /** Why data does not match a usable schema; empty when it does. */
  findDataProblems(schema: object, data: unknown): Promise<string[]>;
}

/** For checking one schema, once the thread has started. */
const DEADLINE_MS = 5_000;
/** On a busy machine a thread takes seconds to start, which says nothing about the schema. */
const START_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** Schemas waiting per requester, and in total. */
const MAX_QUEUED_PER_REQUESTER = 20;
const MAX_QUEUED = 100;
const MAX_WAIT_MS = 20_000;
const MAX_CACHED = 1_000;
const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;
const TOO_COMPLEX = "is too complex to be checked";

/**
 * Works in its own thread: a hostile schema of the allowed size takes seconds to compile, and a hostile pattern forever to
 * match, which would block the process. A thread that does not respond in time is terminated, and the next schema gets a
 * new one.
 */
export function createOutputSchemaChecker({
  deadlineMs = DEADLINE_MS,
  createThread = createSchemaThread,
} = {}): OutputSchemaChecker {
  let thread: Worker | null = null;
  let previous: Promise<unknown> = Promise.resolve();
  let queued = 0;
  const queues = new Map<string, { length: number; last: Promise<unknown> }>();
  const results = new Map<string, string | null>();

  async function callThread(request: SchemaRequest): Promise<SchemaResponse> {
    if (thread === null) {
      thread = createThread();
      const first = await waitForMessage(thread, START_MS);
      if (first === null) {
        await endThread();
        throw new OverloadedError("output schema threads");
      }
    }
    const responding = waitForMessage<SchemaResponse>(thread, deadlineMs);
    thread.postMessage(request);
    const response = await responding;
    if (response !== null) return response;
    await endThread();
    return { kind: "lost" };
  }

  async function endThread(): Promise<void> {
    await thread?.terminate();
    thread = null;
  }

  /** Requests that have waited too long are rejected, which bounds everybody's wait. */
  async function enqueue(request: SchemaRequest, maxWaitMs: number): Promise<SchemaResponse> {
    if (queued >= MAX_QUEUED) throw new OverloadedError("output schemas");
    const enqueuedAtMs = performance.now();
    queued += 1;
    const call = previous.then(() => {
      if (performance.now() - enqueuedAtMs > maxWaitMs) throw new OverloadedError("output schemas");
      return callThread(request);
    });
    previous = call.catch(() => {});
    return call.finally(() => {
      queued -= 1;
    });
  }

  /** Results are cached: applications send the same schema again and again. */
  async function check(schema: object): Promise<string | null> {
    const hash = sha256(JSON.stringify(schema)).toString("base64");
    const known = results.get(hash);
    if (known !== undefined) return known;
    const response = await enqueue({ schema }, MAX_WAIT_MS);
    // Not cached: whether a schema takes too long depends on the load of the machine.
    if (response.kind === "lost") return TOO_COMPLEX;
    const result = response.kind === "bad schema" ? `is not a usable JSON Schema: ${cut(response.problem)}` : null;
    results.set(hash, result);
    if (results.size > MAX_CACHED) results.delete(results.keys().next().value ?? "");
    return result;
  }

  return {
    async findProblem(schema, requester) {
      const queue = queues.get(requester) ?? { length: 0, last: Promise.resolve() };
      if (queue.length >= MAX_QUEUED_PER_REQUESTER) {
        throw new CallerError(
          "RATE_LIMITED",
          "Too many output schemas of this connection are waiting to be checked. Retry in a few seconds.",
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        );
      }
      queues.set(requester, queue);
      queue.length += 1;
      const call = queue.last.then(() => check(schema));
      queue.last = call.catch(() => {});
      return call.finally(() => {
        queue.length -= 1;
        if (queue.length === 0) queues.delete(requester);
      });
    },

    async findDataProblems(schema, data) {
      // No wait limit: a run has its own time limit, and nobody could retry for it.
      const response = await enqueue({ schema, data }, Number.POSITIVE_INFINITY);
      switch (response.kind) {
        case "fine":
          return [];
        case "bad data":
          return response.problems.slice(0, MAX_PROBLEMS).map(cut);
        case "bad schema":
          return [`the schema is not usable: ${cut(response.problem)}`];
        case "lost":
          return [`it could not be checked within ${deadlineMs / 1_000} s`];
      }
    },

    [Symbol.asyncDispose]: endThread,
  };
}

function createSchemaThread(): Worker {
  const thread = new Worker(new URL("./output-schema-thread.ts", import.meta.url), {
    resourceLimits: { stackSizeMb: 8, maxOldGenerationSizeMb: 256 },
  });
  thread.unref();
  return thread;
}

/** The next message of the thread; null when it ends first, or takes longer. */
function waitForMessage<Message>(thread: Worker, timeoutMs: number): Promise<Message | null> {
  const { promise, resolve } = Promise.withResolvers<Message | null>();
  const lose = () => resolve(null);
  const timer = setTimeout(lose, timeoutMs);
  thread.once("message", resolve).once("error", lose).once("exit", lose);
  return promise.finally(() => {
    clearTimeout(timer);
    thread.off("message", resolve).off("error", lose).off("exit", lose);
  });
}

function cut(problem: string): string {
  return problem.slice(0, MAX_PROBLEM_LENGTH);
}
