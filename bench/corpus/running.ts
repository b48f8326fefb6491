import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { cp, mkdir, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Application, Command, Prompt, Snapshot, Stage } from "./application.ts";
import { type Front, openFront } from "./front.ts";

/** An application with its known data, behind its front. */
export interface Running extends AsyncDisposable {
  front: Front;
  /** Puts back the known data and lets the front behave as the prompt says. Returns the known data. */
  prepare(prompt: Prompt): Promise<Snapshot>;
  snapshot(): Promise<Snapshot>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/** Seeds and starts the application in an empty folder. */
export async function startApplication(application: Application, root: string, signal: AbortSignal): Promise<Running> {
  await using parts = new AsyncDisposableStack();
  const front = parts.use(await openFront());
  const port = await findFreePort();
  const stage: Stage = { root, folder: join(root, "data"), port, url: `http://127.0.0.1:${port}` };
  const seeded = join(root, "seeded");
  const logFile = join(root, "log");
  const start = () => startProcess(application.command(stage), { port, logFile, signal });
  let server: AsyncDisposable | null = null;
  const stop = async () => {
    await server?.[Symbol.asyncDispose]();
    server = null;
  };
  parts.defer(stop);
  await mkdir(stage.folder, { recursive: true });
  await application.seed(stage);
  server = await start();
  await application.seedRunning?.(stage);
  await stop();
  await cp(stage.folder, seeded, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const owned = parts.move();
  return {
    front,
    async prepare({ faults = [], isAnonymous = false }) {
      if (application.restarts) await stop();
      await rm(stage.folder, { recursive: true, force: true });
      await cp(seeded, stage.folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      server ??= await start();
      const headers = isAnonymous ? {} : ((await application.signIn?.(stage)) ?? {});
      front.behave({ port, headers, faults });
      return application.snapshot(stage);
    },
    snapshot: () => application.snapshot(stage),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface ProcessOptions {
  port: number;
  logFile: string;
  signal: AbortSignal;
}

async function startProcess(command: Command, { port, logFile, signal }: ProcessOptions): Promise<AsyncDisposable> {
  const log = openSync(logFile, "a");
  const child = spawn(command.file, command.args, {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...command.env },
    ...(command.cwd !== undefined && { cwd: command.cwd }),
    stdio: ["ignore", log, log],
    // In its own process group: Ctrl-C goes to the benchmark, which then stops the application and its workers.
    detached: true,
  });
  closeSync(log);
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command.file} exited with ${code}. Its log is ${logFile}.`)));
  });
  failed.catch(() => {});
  const stop = async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    const killing = setTimeout(() => killGroup(child.pid, "SIGKILL"), STOP_TIMEOUT_MS);
    killGroup(child.pid, "SIGTERM");
    await exited;
    clearTimeout(killing);
  };
  try {
    await Promise.race([untilListening(port, signal), failed]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { [Symbol.asyncDispose]: stop };
}

function killGroup(pid: number | undefined, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has ended in the meantime.
  }
}

async function untilListening(port: number, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  for (;;) {
    deadline.throwIfAborted();
    const response = await fetch(`http://127.0.0.1:${port}/`, { redirect: "manual", signal: deadline }).catch(
      () => null,
    );
    await response?.body?.cancel();
    if (response !== null) return;
    await sleep(100, undefined, { signal: deadline });
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
