import { createWorkerService } from "../../src/app/worker-service.ts";
import type { ProcessLimits } from "../../src/browser/pool/process-guard.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { startWorker } from "../../src/worker/worker.ts";
import { startProcessPool } from "./browser-session.ts";
import type { TestService } from "./service.ts";
import { openSharedPool } from "./shared-browsers.ts";

export interface BrowsingWorker extends AsyncDisposable {
  log: string[];
}

interface BrowsingWorkerOptions {
  settings?: Record<string, string>;
  privateHosts: readonly string[];
  /** Limits of its browsers. */
  process?: ProcessLimits;
}

/** The real worker with the real agent and real browsers, built from settings. */
export async function startBrowsingWorker(
  service: TestService,
  { settings = {}, privateHosts, process }: BrowsingWorkerOptions,
): Promise<BrowsingWorker> {
  await using parts = new AsyncDisposableStack();
  const log: string[] = [];
  const logger = createLogger("trace", { write: (line) => log.push(line) });
  const connectionString = service.database.url;
  const database = parts.use(openDatabase({ connectionString, poolSize: 4, onError: () => {} }));
  const notifications = parts.use(createNotifications({ connectionString, pool: database.pool, logger }));
  const browsers = parts.use(
    process === undefined ? await openSharedPool() : await startProcessPool({ warm: 1, process }),
  );
  const config = readConfig({ ERRAND_DATA_DIR: service.dataDir, ...settings }, service.dataDir);
  const { dependencies, startBackground } = parts.use(
    await createWorkerService({ config, database, notifications, browsers, privateHosts, logger }),
  );
  parts.use(await startBackground(connectionString));
  const worker = startWorker({ ...dependencies, notifications, concurrency: 1 });
  parts.defer(() => worker.drain(0));
  const owned = parts.move();
  return { log, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
