import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SETTINGS } from "../../src/config/settings.ts";
import type { Job, JobReply, JobResult } from "./job.ts";

/** A child process, stopped with the benchmark. */
interface Child extends AsyncDisposable {
  pid: number;
}

export interface Server extends Child {
  port: number;
}

export interface Generator extends Child {
  run(job: Job): Promise<JobResult>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
/** How much longer than its measured time a job may take. */
const GRACE_MS = 15_000;
/** What `bin/errand start` gives to Node. */
const NODE_FLAGS = ["--no-memory-reducer", "--heap-growing-percent=100"];
/** What `bin/errand` runs once everything is installed. */
export const MAIN = join(import.meta.dirname, "../../src/main.ts");

/**
 * Every setting is the default, regardless of this machine's environment, except rate limits that are never reached. No
 * recipes are used, because the same errand is repeated to be measured.
 */
export const SERVICE_ENV: Record<string, string> = {
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  ...Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, ""])),
  ERRAND_PORT: "0",
  ERRAND_CREATES_PER_MINUTE: "10000000",
  ERRAND_READS_PER_MINUTE: "10000000",
  ERRAND_RATE_BURST: "1000000",
  ERRAND_RECIPES: "off",
};

interface ServiceOptions {
  env: Record<string, string>;
  /** The log, at the default level, goes there. */
  logFile: string;
  roles: "api" | "worker" | "api,worker";
}

/** Starts the real service in its own process. */
export async function startService({ env, logFile, roles }: ServiceOptions): Promise<Server> {
  return await startCommand(["start", "--roles", roles], env, logFile);
}

/** Starts the demo shop in its own process, so that it counts for neither side of a comparison. */
export async function startShop(logFile: string): Promise<Server & { url: string }> {
  const shop = await startCommand(["demo", "--port", "0"], SERVICE_ENV, logFile);
  return { ...shop, url: `http://127.0.0.1:${shop.port}` };
}

/** Starts a command that prints its URL as JSON and then runs until it is stopped. */
async function startCommand(args: string[], env: Record<string, string>, logFile: string): Promise<Server> {
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, ...args, "--json"], {
    env,
    stdio: ["ignore", "pipe", log],
    // In its own process group: Ctrl-C goes to the benchmark, which then stops the process in order.
    detached: true,
  });
  closeSync(log);
  try {
    if (child.stdout === null) throw new Error("The process has no standard output.");
    const [line] = await orFail(once(child.stdout, "data"), child, START_TIMEOUT_MS);
    const { url } = JSON.parse(String(line)) as { url: string | null };
    // A worker has no API.
    return { port: url === null ? 0 : Number(new URL(url).port), ...owned(child) };
  } catch (error) {
    await stop(child);
    const log = (await readFile(logFile, "utf8")).slice(-2_000);
    throw new Error(`errand ${args.join(" ")} did not start.\n${log}`, { cause: error });
  }
}

export function startBareRoute(connectionString: string, poolSize: number): Promise<Server> {
  const env = { BENCH_DATABASE_URL: connectionString, BENCH_POOL_SIZE: String(poolSize) };
  return startServer("../api/bare-route.ts", env);
}

/** Serves the pages that executions open under load. */
export function startLoadSite(): Promise<Server> {
  return startServer("../load/site.ts", {});
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
  // "advanced" passes the buffers of statements and the latencies unchanged.
  const child = fork(join(import.meta.dirname, "load-generator.ts"), { serialization: "advanced" });
  return {
    ...owned(child),
    async run(job) {
      const replied = once(child, "message");
      child.send(job);
      const [reply] = (await orFail(replied, child, job.seconds * 1_000 + GRACE_MS)) as [JobReply];
      if ("failure" in reply) throw new Error(reply.failure);
      return reply.result;
    },
  };
}

function owned(child: ChildProcess): Child {
  return { pid: child.pid ?? 0, [Symbol.asyncDispose]: () => stop(child) };
}

/** Waits for the event. Fails if the process exits or the time is up first. */
async function orFail<Value>(event: Promise<Value>, child: ChildProcess, timeoutMs: number): Promise<Value> {
  const settled = new AbortController();
  const failure = Promise.race([
    once(child, "exit", settled).then(([code]) => `exited with code ${code}`),
    sleep(timeoutMs, `did not respond within ${timeoutMs} ms`, settled),
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
  const exited = once(child, "exit");
  const killing = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  child.kill("SIGTERM");
  await exited;
  clearTimeout(killing);
}
