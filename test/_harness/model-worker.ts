import { createWorkerService } from "../../src/app/worker-service.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { NO_TRACES, type Tracer } from "../../src/lib/tracing.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createNotifications } from "../../src/storage/notifications.ts";
import { startWorker } from "../../src/worker/worker.ts";
import type { ModelServer } from "./model-server.ts";
import type { TestService } from "./service.ts";
import { openSharedPool } from "./shared-browsers.ts";

export interface ModelWorker extends AsyncDisposable {
  log: string[];
}

interface ModelWorkerOptions {
  settings?: Record<string, string>;
  privateHosts: readonly string[];
  tracer?: Tracer;
}

/** The real worker with real browsers, configured only by settings to plan and judge with this model. */
export async function startModelWorker(
  service: TestService,
  model: ModelServer,
  { settings = {}, privateHosts, tracer = NO_TRACES }: ModelWorkerOptions,
): Promise<ModelWorker> {
  await using parts = new AsyncDisposableStack();
  const log: string[] = [];
  const logger = createLogger("debug", { write: (line) => log.push(line) });
  const connectionString = service.database.url;
  const database = parts.use(openDatabase({ connectionString, poolSize: 4, onError: () => {} }));
  const notifications = parts.use(createNotifications({ connectionString, pool: database.pool, logger }));
  const browsers = parts.use(await openSharedPool());
  const config = readConfig(
    {
      ERRAND_DATA_DIR: service.dataDir,
      ERRAND_MODEL: "openai-compatible:scripted",
      ERRAND_MODEL_BASE_URL: model.url,
      ERRAND_MODEL_API_KEY: "key-canary-7f3a",
      ...settings,
    },
    service.dataDir,
  );
  const { dependencies } = parts.use(
    await createWorkerService({ config, database, notifications, browsers, privateHosts, logger, tracer }),
  );
  const worker = startWorker({ ...dependencies, notifications, concurrency: 1 });
  parts.defer(() => worker.drain(0));
  const owned = parts.move();
  return { log, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
