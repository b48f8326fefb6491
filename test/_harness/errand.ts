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
  /** The output so far. */
  said: Readonly<CommandResult>;
  ended: Promise<CommandResult>;
}

/** Starts the real command in a separate process. */
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

/** Runs the real command and waits until it exits. */
export function runErrand(args: string[], env: Record<string, string> = {}, input = ""): Promise<CommandResult> {
  return startCommand(args, env, input).ended;
}

/** Like `runErrand` with --json, for commands that must succeed. */
export async function errandJson<Result>(args: string[], env: Record<string, string> = {}): Promise<Result> {
  const { code, stdout, stderr } = await runErrand([...args, "--json"], env);
  if (code !== 0) throw new Error(`errand ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

export interface RunningErrand {
  child: ChildProcess;
  /** Empty for a worker alone. */
  url: string;
  /** The health server of a worker alone; empty if there is none. */
  healthUrl: string;
  /** Empty when there is none. */
  demoUrl: string;
  stderr(): string;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts the real service, or the demo shop, in a separate process and waits until it is ready. By default only the api
 * role, on a free port.
 */
export async function startErrand(
  env: Record<string, string>,
  args: string[] = ["start", "--roles", "api"],
  /** A program, with arguments, that is started with the command as its last arguments. */
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

/** A data directory that is deleted afterwards, after everything that runs on it was stopped. */
export async function createDataDir(): Promise<{ path: string; env: Record<string, string> } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "errand-data-"));
  const env = { ERRAND_DATA_DIR: path };
  return {
    path,
    env,
    async [Symbol.asyncDispose]() {
      // The last command to exit stops a database that a killed service left running.
      if (existsSync(join(path, "postgres/cluster"))) await runErrand(["migrate"], env);
      await rm(path, { recursive: true, force: true });
    },
  };
}

function cleanEnv(env: Record<string, string>): Record<string, string> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ERRAND_LOG_LEVEL: "info", ERRAND_DEMO: "false", ...env };
}
