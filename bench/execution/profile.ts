import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDemoShop } from "../../demo/shop.ts";
import type { Errand, Reporter } from "../../src/agent/loop/errand.ts";
import { runErrand } from "../../src/agent/loop/run-errand.ts";
import type { Planner } from "../../src/agent/planner/planner.ts";
import { createStepsPlanner } from "../../src/agent/steps/steps-planner.ts";
import { createConfiguredBrowsers } from "../../src/app/configured-browsers.ts";
import { createWorkerService } from "../../src/app/worker-service.ts";
import type { BrowserSession } from "../../src/browser/session/browser-session.ts";
import { readConfig } from "../../src/config/config.ts";
import { createExecutions, type Executions } from "../../src/executions/executions.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { createExecutionStore } from "../../src/storage/sql/executions.ts";
import { createRecipeMatchStore } from "../../src/storage/sql/recipes.ts";
import { openStorage } from "../../src/storage/storage.ts";
import { runUntilEnded } from "../../src/worker/worker.ts";
import { connectUsers } from "../harness/connected.ts";
import { PROMPT } from "./bare-script.ts";

/** The time of one run, by part. */
export interface Profile {
  ms: number;
  spent: Spent[];
  /** Time that no part covers. */
  restMs: number;
  total: string;
}

interface ProfileStage extends AsyncDisposable {
  profileRun(): Promise<Profile>;
}

interface StageOptions {
  env: Record<string, string>;
  pauseMs: number;
  signal: AbortSignal;
}

const WARM = 2;
const NEVER = new AbortController().signal;

/** Everything that `errand start` runs, in this process, so that a stopwatch can be put between its parts. */
export async function openProfileStage({ env, pauseMs, signal }: StageOptions): Promise<ProfileStage> {
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const config = readConfig({ ...env, ERRAND_DATA_DIR: dataDir }, dataDir);
  const logger = createLogger("error", { write: (line) => void process.stderr.write(line) });
  const storage = parts.use(
    await openStorage({ ...config, poolSize: config.databasePoolSize, logger, onProgress: () => {} }),
  );
  signal.throwIfAborted();
  const { database, connectionString } = storage;
  const notifications = parts.use(createNotifications({ connectionString, pool: database.pool, logger }));
  const shop = parts.use(await startDemoShop());
  const browsers = parts.use(createConfiguredBrowsers(config, { warm: WARM, logger }));
  const privateHosts = [new URL(shop.url).host];
  let watch = new Stopwatch();
  let runMs = 0;
  const worker = parts.use(
    await createWorkerService({
      ...{ config, database, notifications, browsers, privateHosts, logger },
      agent: {
        planner: createStepsPlanner(),
        judge: null,
        async runErrand(errand) {
          const startedMs = performance.now();
          const outcome = await runErrand(timeErrand(errand, watch));
          runMs = performance.now() - startedMs;
          return outcome;
        },
      },
    }),
  );
  const executions = createExecutions({
    store: createExecutionStore(database, notifications),
    updates: notifications,
    recipes: createRecipeMatchStore(database),
    price: config.executionPrice,
    maxQueued: config.maxQueued,
    findOutputSchemaProblem: async () => null,
  });
  const [client] = await connectUsers(database, 1, shop.url);
  if (client === undefined) throw new Error("No user is connected.");
  const { connectionId } = client;
  const owned = parts.move();
  return {
    async profileRun() {
      await browsers.checkReady();
      await sleep(pauseMs, undefined, { signal });
      watch = new Stopwatch();
      const { execution } = await executions.create(connectionId, { prompt: PROMPT, start_url: shop.url }, null);
      const hasEnded = async () => (await executions.get(connectionId, execution.id)).status !== "RUNNING";
      const attendance = {
        executionId: execution.id,
        hasEnded,
        signal,
        runSignals: { stopRuns: signal, giveUp: NEVER },
      };
      await runUntilEnded(attendance, worker.dependencies);
      const spent = watch.list();
      const isParallel = ({ part }: Spent) => part === WRITE_STEPS;
      const covered = spent.filter((one) => !isParallel(one)).reduce((sum, { ms }) => sum + ms, 0);
      const total = await readTotal(executions, connectionId, execution.id);
      return { ms: runMs, spent, restMs: runMs - covered, total };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function readTotal(executions: Executions, connectionId: string, id: string): Promise<string> {
  const { terminal, result } = await executions.get(connectionId, id);
  if (terminal?.status !== "verified")
    throw new Error(`The execution ended as ${terminal?.status}: ${terminal?.reason}`);
  return result?.final_text ?? "";
}

const WRITE_STEPS = "write steps (in parallel)";

/** Parts of a run. */
type Part =
  | "open the browser"
  | "act"
  | "settle"
  | "pin the element"
  | "observe"
  | "screenshot"
  | "decide"
  | "observe for verification"
  | "write evidence"
  | "close the browser"
  | typeof WRITE_STEPS;

interface Spent {
  part: Part;
  ms: number;
  calls: number;
}

/**
 * Measures the time of each part without the parts nested in it: every moment belongs to the part that started last and still
 * runs. Steps are written in parallel to all of them, and are measured separately.
 */
class Stopwatch {
  readonly #spent = new Map<Part, { ms: number; calls: number }>();
  readonly #active: { readonly part: Part }[] = [];
  #creditedUntilMs = 0;

  async time<Result>(part: Part, work: () => Promise<Result>): Promise<Result> {
    const running = { part };
    this.#credit();
    this.#active.push(running);
    try {
      return await work();
    } finally {
      this.#credit();
      this.#active.splice(this.#active.indexOf(running), 1);
      this.#add(part, 0, 1);
    }
  }

  async timeParallel<Result>(part: Part, work: () => Promise<Result>): Promise<Result> {
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      this.#add(part, performance.now() - startedMs, 1);
    }
  }

  list(): Spent[] {
    return [...this.#spent].map(([part, spent]) => ({ part, ...spent }));
  }

  /** Credits the time since the last change to the part that started last. */
  #credit(): void {
    const nowMs = performance.now();
    const current = this.#active.at(-1);
    if (current !== undefined) this.#add(current.part, nowMs - this.#creditedUntilMs, 0);
    this.#creditedUntilMs = nowMs;
  }

  #add(part: Part, ms: number, calls: number): void {
    const before = this.#spent.get(part) ?? { ms: 0, calls: 0 };
    this.#spent.set(part, { ms: before.ms + ms, calls: before.calls + calls });
  }
}

/** Wraps everything that the errand works with in a stopwatch. */
function timeErrand(errand: Errand, watch: Stopwatch): Errand {
  return {
    ...errand,
    planner: timePlanner(errand.planner, watch),
    reporter: timeReporter(errand.reporter, watch),
    openSession: async (signal) =>
      timeSession(await watch.time("open the browser", () => errand.openSession(signal)), watch),
    begin: () => watch.time("write evidence", errand.begin),
  };
}

function timePlanner(planner: Planner, watch: Stopwatch): Planner {
  return {
    name: planner.name,
    async plan(task, context) {
      const plan = await planner.plan(task, context);
      return timeMethods(plan, { next: (turn) => watch.time("decide", () => plan.next(turn)) });
    },
  };
}

function timeReporter(reporter: Reporter, watch: Stopwatch): Reporter {
  return {
    step: (step, screenshot) => watch.timeParallel(WRITE_STEPS, () => reporter.step(step, screenshot)),
    saveArtifact: (artifact) => watch.time("write evidence", () => reporter.saveArtifact(artifact)),
    verification: (verdict) => watch.time("write evidence", () => reporter.verification(verdict)),
  };
}

function timeSession(session: BrowserSession, watch: Stopwatch): BrowserSession {
  return timeMethods(session, {
    observe: (signal) => watch.time("observe", () => session.observe(signal)),
    pin: (ref) => watch.time("pin the element", () => session.pin(ref)),
    settle: (action, signal) => watch.time("settle", () => session.settle(() => watch.time("act", action), signal)),
    screenshot: () => watch.time("screenshot", () => session.screenshot()),
    observeForVerification: (pages, signal) =>
      watch.time("observe for verification", () => session.observeForVerification(pages, signal)),
    [Symbol.asyncDispose]: () => watch.time("close the browser", async () => session[Symbol.asyncDispose]()),
  });
}

/** Everything of the original, with these methods instead. */
function timeMethods<Original extends object>(original: Original, timed: Partial<Original>): Original {
  return new Proxy(original, {
    get(target, name) {
      if (name in timed) return Reflect.get(timed, name);
      // Bound to the original itself, because its methods use private fields.
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
