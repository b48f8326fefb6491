import { Worker } from "node:worker_threads";

/** Says why a JSON Schema cannot be used, or null. */
export interface OutputSchemaChecker extends AsyncDisposable {
  findProblem(schema: object): Promise<string | null>;
}

const DEADLINE_MS = 5_000;
const MAX_PROBLEM_LENGTH = 300;

/**
 * Compiles schemas in a thread of its own: a hostile one of the allowed size takes seconds, in which nothing else
 * would be answered. A thread that does not answer in time is ended, and the next schema gets a new one.
 */
export function createOutputSchemaChecker(): OutputSchemaChecker {
  let thread: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function start(): Worker {
    const worker = new Worker(new URL("./output-schema-thread.ts", import.meta.url), {
      resourceLimits: { stackSizeMb: 8, maxOldGenerationSizeMb: 256 },
    });
    worker.unref();
    return worker;
  }

  async function check(schema: object): Promise<string | null> {
    thread ??= start();
    const answer = await ask(thread, schema);
    if (answer === "lost") {
      await thread.terminate();
      thread = null;
      return "is too complex to be checked";
    }
    return answer.problem === null
      ? null
      : `is not a usable JSON Schema: ${answer.problem.slice(0, MAX_PROBLEM_LENGTH)}`;
  }

  return {
    // One at a time, so that the deadline counts only a schema's own work.
    findProblem(schema) {
      const result = last.then(() => check(schema));
      last = result.catch(() => {});
      return result;
    },
    async [Symbol.asyncDispose]() {
      await thread?.terminate();
    },
  };
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
