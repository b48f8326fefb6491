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

/** Runs the real command to its end, in a process of its own. */
export function spawnErrand(args: string[], env: Record<string, string> = {}, input = ""): Promise<CommandResult> {
  return startCommand(args, env, input).ended;
}

const LISTENED_TO = ["SIGINT", "SIGTERM"] as const;

/** Commands of this process take turns: each has the environment and the standard streams to itself. */
let lastCommand: Promise<unknown> = Promise.resolve();

/**
 * Runs the real command to its end in this process, which is much quicker than starting another one. For a command that
 * runs until it gets a signal, reads standard input or writes binary data, use `startCommand` or `spawnErrand`.
 */
export function runErrand(args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const running = lastCommand.then(() => runHere(args, env));
  lastCommand = running.catch(() => {});
  return running;
}

async function runHere(args: string[], env: Record<string, string>): Promise<CommandResult> {
  const { runProgram } = await import("../../src/cli/program.ts");
  const said = { stdout: "", stderr: "" };
  const environment = { ...process.env };
  const exitCode = process.exitCode;
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
  const listeners = LISTENED_TO.map((name) => ({ name, before: process.listeners(name) }));
  const ofVitest = Object.entries(environment).filter(([name]) => /^(VITEST|TEST|NODE_ENV)/.test(name));
  try {
    replaceEnvironment({ ...Object.fromEntries(ofVitest), ...cleanEnv(env) });
    process.exitCode = undefined;
    for (const name of ["stdout", "stderr"] as const) {
      process[name].write = (chunk: string | Uint8Array) => {
        said[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
        return true;
      };
    }
    await runProgram(args);
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    Object.assign(process.stdout, { write: writes.stdout });
    Object.assign(process.stderr, { write: writes.stderr });
    process.exitCode = exitCode;
    replaceEnvironment(environment);
    // A command leaves its signal handlers to the end of its process.
    for (const { name, before } of listeners) {
      for (const listener of process.listeners(name)) if (!before.includes(listener)) process.off(name, listener);
    }
  }
}

function replaceEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** Like `runErrand` with --json, for commands that must succeed. */
export async function errandJson<Result>(args: string[], env: Record<string, string> = {}): Promise<Result> {
  return parseResult<Result>(args, await runErrand([...args, "--json"], env));
}

/** Like `spawnErrand` with --json, for commands that must succeed. */
export async function spawnErrandJson<Result>(args: string[], env: Record<string, string> = {}): Promise<Result> {
  return parseResult<Result>(args, await spawnErrand([...args, "--json"], env));
}

function parseResult<Result>(args: string[], { code, stdout, stderr }: CommandResult): Result {
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
