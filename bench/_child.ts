import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, JobAnswer, JobResult } from "./_job.ts";

/** A process of ours, ended with the benchmark. */
export interface Child extends AsyncDisposable {
  pid: number;
}

export interface Server extends Child {
  port: number;
}

export interface Generator extends Child {
  run(job: Job): Promise<JobResult>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
/** What a job may take beyond the time it measures. */
const GRACE_MS = 15_000;

/** The real service as it is shipped: its log, at the default level, goes to a file. */
export async function startService(env: Record<string, string>, logFile: string, roles = "api"): Promise<Server> {
  const main = join(import.meta.dirname, "../src/main.ts");
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, [main, "start", "--roles", roles, "--json"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: ["ignore", "pipe", log],
    // In a group of its own: Ctrl-C is for the benchmark, which then ends the service in order.
    detached: true,
  });
  closeSync(log);
  try {
    if (child.stdout === null) throw new Error("the service has no standard output");
    const [line] = await orFail(once(child.stdout, "data"), child, START_TIMEOUT_MS);
    const { url } = JSON.parse(String(line)) as { url: string | null };
    // A worker alone has no interface.
    return { port: url === null ? 0 : Number(new URL(url).port), ...owned(child) };
  } catch (error) {
    await stop(child);
    throw new Error(`The service did not start.\n${(await readFile(logFile, "utf8")).slice(-2_000)}`, { cause: error });
  }
}

export function startBareRoute(connectionString: string, poolSize: number): Promise<Server> {
  return startServer("_bare-route.ts", { BENCH_DATABASE_URL: connectionString, BENCH_POOL_SIZE: String(poolSize) });
}

/** The pages that executions under load look at. */
export function startLoadSite(): Promise<Server> {
  return startServer("_load-site.ts", {});
}

async function startServer(file: string, env: Record<string, string>): Promise<Server> {
  const child = fork(join(import.meta.dirname, file), { env: { ...process.env, ...env } });
  try {
    const [{ url }] = (await orFail(once(child, "message"), child, START_TIMEOUT_MS)) as [{ url: string }];
    return { port: Number(new URL(url).port), ...owned(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

export function startGenerator(): Generator {
  // "advanced" carries the buffers of statements and the latencies as they are.
  const child = fork(join(import.meta.dirname, "_generator.ts"), { serialization: "advanced" });
  return {
    ...owned(child),
    async run(job) {
      const answered = once(child, "message");
      child.send(job);
      const [answer] = (await orFail(answered, child, job.seconds * 1_000 + GRACE_MS)) as [JobAnswer];
      if ("failure" in answer) throw new Error(answer.failure);
      return answer.result;
    },
  };
}

function owned(child: ChildProcess): Child {
  return { pid: child.pid ?? 0, [Symbol.asyncDispose]: () => stop(child) };
}

/** What was waited for, or an error when the process ends or the time is over before it comes. */
async function orFail<Value>(event: Promise<Value>, child: ChildProcess, timeoutMs: number): Promise<Value> {
  const settled = new AbortController();
  const failure = Promise.race([
    once(child, "exit", settled).then(([code]) => `ended with exit code ${code}`),
    sleep(timeoutMs, `did not answer within ${timeoutMs} ms`, settled),
  ]).then((reason) => {
    throw new Error(`The process ${child.spawnargs.slice(1, 3).join(" ")} ${reason}.`);
  });
  try {
    return await Promise.race([event, failure]);
  } finally {
    settled.abort();
    failure.catch(() => {});
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  const patience = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(patience);
}
