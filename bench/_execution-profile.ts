import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDemoShop } from "../demo/shop.ts";
import { runErrand } from "../src/agent/loop/run-errand.ts";
import { createBuiltinPlanner } from "../src/agent/planner/builtin/builtin-planner.ts";
import { createConfiguredBrowsers } from "../src/app/configured-browsers.ts";
import { createOperations } from "../src/app/operations.ts";
import { createWorkerService } from "../src/app/worker-service.ts";
import { readConfig } from "../src/config/config.ts";
import { createExecutions, type Executions } from "../src/executions/executions.ts";
import { createLogger } from "../src/lib/logger.ts";
import { createNotifications } from "../src/storage/notifications.ts";
import { createExecutionStore } from "../src/storage/sql/executions.ts";
import { openStorage } from "../src/storage/storage.ts";
import { runUntilEnded } from "../src/worker/worker.ts";
import { PROMPT } from "./_execution-errand.ts";
import { type Spent, Stopwatch, timeErrand } from "./_execution-timers.ts";

/** One run, taken apart. */
export interface Profile {
  ms: number;
  spent: Spent[];
  /** What none of the parts covers. */
  restMs: number;
  total: string;
}

export interface ProfileStage extends AsyncDisposable {
  profileRun(): Promise<Profile>;
}

interface StageOptions {
  env: Record<string, string>;
  pauseMs: number;
  signal: AbortSignal;
}

const WARM = 2;
const NEVER = new AbortController().signal;

/** Everything that `errand start` runs, in this process, where a stopwatch can be put between its parts. */
export async function setProfileStage({ env, pauseMs, signal }: StageOptions): Promise<ProfileStage> {
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
        planner: createBuiltinPlanner(),
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
    price: config.executionPrice,
    maxQueued: config.maxQueued,
    findOutputSchemaProblem: async () => null,
  });
  const connectionId = await connect(createOperations(database), shop.url);
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
      const beside = ({ part }: Spent) => part === "write steps (beside the next step)";
      const covered = spent.filter((one) => !beside(one)).reduce((sum, { ms }) => sum + ms, 0);
      const total = await readTotal(executions, connectionId, execution.id);
      return { ms: runMs, spent, restMs: runMs - covered, total };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function connect(
  { applications, people, connections }: ReturnType<typeof createOperations>,
  homeUrl: string,
): Promise<string> {
  const { application } = await applications.register({
    name: "Benchmark",
    type: "public",
    redirectUris: [],
    homeUrl,
    signInUrl: null,
    allowedHosts: [],
    access: "all",
    requirePkce: false,
  });
  const person = await people.findOrCreate("client@example.com");
  return (await connections.connect(application.id, person.id)).connection.id;
}

async function readTotal(executions: Executions, connectionId: string, id: string): Promise<string> {
  const { terminal, result } = await executions.get(connectionId, id);
  if (terminal?.status !== "verified") throw new Error(`The errand ended ${terminal?.status}: ${terminal?.reason}`);
  return result?.final_text ?? "";
}
