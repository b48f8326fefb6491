import { findTraces } from "../_harness/browser-processes.ts";
import { type RunningErrand, startErrand } from "../_harness/errand.ts";
import { type FaultProxy, startFaultProxy } from "./_fault-proxy.ts";
import { listListening } from "./_listening.ts";

/** One process of the service, with its own connection to PostgreSQL. */
export interface Member extends AsyncDisposable {
  readonly role: "api" | "worker";
  readonly proxy: FaultProxy;
  pid(): number;
  /** The ports on which it listened when it was ready. */
  ports(): readonly number[];
  /** The processes that were killed and may have left something behind. */
  readonly formerPids: Set<number>;
  /** Empty for a worker. */
  url(): string;
  isAlive(): boolean;
  /** Its log. */
  log(): string;
  /** Kill -9, and waits until it has ended. */
  kill(): Promise<void>;
  /** Kill -9 of its browsers. */
  killBrowsers(): void;
  pause(): void;
  resume(): void;
  /** The exits that were not kills, with the ends of their logs. */
  readonly unexpectedEnds: string[];
  /** Starts its successor; does nothing while it is running. */
  revive(): Promise<void>;
}

const LOG_END_CHARACTERS = 3_000;

export async function startMember(
  role: Member["role"],
  { upstreamPort, envFor }: { upstreamPort: number; envFor(proxyPort: number): Record<string, string> },
): Promise<Member> {
  const proxy = await startFaultProxy(upstreamPort);
  const start = () => startErrand(envFor(proxy.port), ["start", "--roles", role]);
  let running: RunningErrand = await start();
  let ports = await listListening(running.child.pid ?? 0);
  let reviving: Promise<void> | null = null;
  const formerPids = new Set<number>();
  const unexpectedEnds: string[] = [];
  let isKilled = false;

  const isAlive = () => running.child.exitCode === null && running.child.signalCode === null;

  async function revive(): Promise<void> {
    if (isAlive()) return;
    const { pid = 0, exitCode, signalCode } = running.child;
    formerPids.add(pid);
    if (!isKilled) {
      const log = running.stderr().slice(-LOG_END_CHARACTERS);
      unexpectedEnds.push(`${role} ${pid} has ended by itself (${signalCode ?? exitCode}): ${log}`);
    }
    isKilled = false;
    running = await start();
    ports = await listListening(running.child.pid ?? 0);
  }

  return {
    role,
    proxy,
    pid: () => running.child.pid ?? 0,
    ports: () => ports,
    formerPids,
    unexpectedEnds,
    url: () => running.url,
    isAlive,
    log: () => running.stderr(),
    async kill() {
      isKilled = isAlive();
      await running.end("SIGKILL");
    },
    killBrowsers() {
      for (const pid of findTraces(running.child.pid).all) killIfThere(pid);
    },
    pause: () => void running.child.kill("SIGSTOP"),
    resume: () => void running.child.kill("SIGCONT"),
    revive() {
      reviving ??= revive().finally(() => {
        reviving = null;
      });
      return reviving;
    },
    async [Symbol.asyncDispose]() {
      await reviving?.catch(() => {});
      if (isAlive()) {
        running.child.kill("SIGCONT");
        await running.end("SIGTERM");
      }
      await proxy[Symbol.asyncDispose]();
    },
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
