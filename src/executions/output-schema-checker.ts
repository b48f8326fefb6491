import { Worker } from "node:worker_threads";
import { CallerError } from "../lib/caller-error.ts";
import { sha256 } from "../lib/hash.ts";

/** Says why a JSON Schema cannot be used, or null. */
export interface OutputSchemaChecker extends AsyncDisposable {
  /** `requester` is who asks: each has one schema checked at a time, so that nobody holds up the others. */
  findProblem(schema: object, requester: string): Promise<string | null>;
}

const DEADLINE_MS = 5_000;
const MAX_WAITING = 20;
const MAX_REMEMBERED = 1_000;
const MAX_PROBLEM_LENGTH = 300;
const TOO_COMPLEX = "is too complex to be checked";

/**
 * Compiles schemas in a thread of its own: a hostile one of the allowed size takes seconds, in which nothing else
 * would be answered. A thread that does not answer in time is ended, and the next schema gets a new one.
 */
export function createOutputSchemaChecker(): OutputSchemaChecker {
  let thread: Worker | null = null;
  let threadIsFree: Promise<unknown> = Promise.resolve();
  const queues = new Map<string, { length: number; last: Promise<unknown> }>();
  const verdicts = new Map<string, string | null>();

  async function compile(schema: object): Promise<string | null> {
    thread ??= startThread();
    const answer = await ask(thread, schema);
    if (answer !== "lost") {
      return answer.problem === null
        ? null
        : `is not a usable JSON Schema: ${answer.problem.slice(0, MAX_PROBLEM_LENGTH)}`;
    }
    await thread.terminate();
    thread = null;
    return TOO_COMPLEX;
  }

  /** Applications send the same schema again and again. */
  async function check(schema: object): Promise<string | null> {
    const hash = sha256(JSON.stringify(schema)).toString("base64");
    const known = verdicts.get(hash);
    if (known !== undefined) return known;
    const turn = threadIsFree.then(() => compile(schema));
    threadIsFree = turn.catch(() => {});
    const verdict = await turn;
    // Whether one is too complex depends on how busy the machine is: that is not remembered.
    if (verdict === TOO_COMPLEX) return verdict;
    verdicts.set(hash, verdict);
    if (verdicts.size > MAX_REMEMBERED) verdicts.delete(verdicts.keys().next().value ?? "");
    return verdict;
  }

  return {
    async findProblem(schema, requester) {
      const queue = queues.get(requester) ?? { length: 0, last: Promise.resolve() };
      if (queue.length >= MAX_WAITING) {
        throw new CallerError("RATE_LIMITED", "Too many output schemas of this connection are waiting to be checked.", {
          retryAfterSeconds: DEADLINE_MS / 1_000,
        });
      }
      queues.set(requester, queue);
      queue.length += 1;
      const turn = queue.last.then(() => check(schema));
      queue.last = turn.catch(() => {});
      return turn.finally(() => {
        queue.length -= 1;
        if (queue.length === 0) queues.delete(requester);
      });
    },
    async [Symbol.asyncDispose]() {
      await thread?.terminate();
    },
  };
}

function startThread(): Worker {
  const thread = new Worker(new URL("./output-schema-thread.ts", import.meta.url), {
    resourceLimits: { stackSizeMb: 8, maxOldGenerationSizeMb: 256 },
  });
  thread.unref();
  return thread;
}

type Answer = { problem: string | null } | "lost";

function ask(thread: Worker, schema: object): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const lose = () => resolve("lost");
  const timer = setTimeout(lose, DEADLINE_MS);
  thread.once("message", resolve).once("error", lose).once("exit", lose);
  thread.postMessage({ schema });
  return promise.finally(() => {
    clearTimeout(timer);
    thread.off("message", resolve).off("error", lose).off("exit", lose);
  });
}
