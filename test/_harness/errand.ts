import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface StartedCommand {
  child: ChildProcess;
  /** What it has said so far. */
  said: Readonly<CommandResult>;
  ended: Promise<CommandResult>;
}

/** Starts the real command in a process of its own, on its own data directory. */
export function startCommand(args: string[], env: Record<string, string> = {}, input = ""): StartedCommand {
  const child = spawn(process.execPath, [MAIN, ...args], { env: cleanEnv(env), stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(input);
  const said: CommandResult = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.stderr += chunk;
  });
  return { child, said, ended: once(child, "close").then(([code]) => ({ ...said, code })) };
}

/** Runs the real command to its end. */
export function runErrand(args: string[], env: Record<string, string> = {}, input = ""): Promise<CommandResult> {
  return startCommand(args, env, input).ended;
}

/** As `runErrand` with --json, for commands that must succeed. */
export async function errandJson<Result>(args: string[], env: Record<string, string> = {}): Promise<Result> {
  const { code, stdout, stderr } = await runErrand([...args, "--json"], env);
  if (code !== 0) throw new Error(`errand ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

export interface RunningErrand {
  child: ChildProcess;
  /** Empty for a worker alone. */
  url: string;
  /** Where a worker alone tells how it does; empty when there is no such place. */
  healthUrl: string;
  /** Empty when there is none. */
  demoUrl: string;
  stderr(): string;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts the real service, or the demo shop, in a process of its own and waits until it is ready. Unless asked otherwise
 * it takes a free port, only answers and runs nothing.
 */
export async function startErrand(
  env: Record<string, string>,
  args: string[] = ["start", "--roles", "api"],
  /** A program, with its arguments, that runs it in place of itself. */
  prefix: readonly string[] = [],
): Promise<RunningErrand> {
  const port = env["ERRAND_PORT"] ?? "0";
  const [program = "", ...rest] = [...prefix, process.execPath, MAIN, ...args, "--port", port, "--json"];
  const child = spawn(program, rest, {
    env: cleanEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, "close");
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    if (stdout.includes("\n")) resolve();
  });
  await Promise.race([listening, ended]);
  if (!stdout.includes("\n")) throw new Error(`errand ${args.join(" ")} ended with ${child.exitCode}: ${stderr}`);
  const {
    url,
    demo_url: demoUrl = null,
    health_url: healthUrl = null,
  } = JSON.parse(stdout) as { url: string | null; demo_url?: string | null; health_url?: string | null };
  return {
    child,
    url: url ?? "",
    healthUrl: healthUrl ?? "",
    demoUrl: demoUrl ?? "",
    stderr: () => stderr,
    async end(signal) {
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}

/** A data directory that is gone afterwards, with whatever still runs on it. */
export async function createDataDir(): Promise<{ path: string; env: Record<string, string> } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "errand-data-"));
  const env = { ERRAND_DATA_DIR: path };
  return {
    path,
    env,
    async [Symbol.asyncDispose]() {
      // Whoever comes and goes last stops a database that a killed service left behind.
      if (existsSync(join(path, "postgres/cluster"))) await runErrand(["migrate"], env);
      await rm(path, { recursive: true, force: true });
    },
  };
}

function cleanEnv(env: Record<string, string>): Record<string, string> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ERRAND_LOG_LEVEL: "info", ERRAND_DEMO: "false", ...env };
}
