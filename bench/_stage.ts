import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../src/config/config.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { type Database, openDatabase } from "../src/storage/database.ts";
import { joinEmbeddedServer } from "../src/storage/embedded/server.ts";
import { type Generator, type Server, startBareRoute, startGenerator, startService } from "./_child.ts";

/** Everything that runs during a benchmark, in a temporary folder. */
export interface Stage extends AsyncDisposable {
  service: Server;
  bareRoute: Server;
  generator: Generator;
  database: Database;
  connectionString: string;
  poolSize: number;
}

/** Limits that no measurement reaches; everything else is the default, whatever this machine's environment says. */
const ENV: Record<string, string> = {
  ...Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, ""])),
  ERRAND_PORT: "0",
  ERRAND_CREATES_PER_MINUTE: "10000000",
  ERRAND_READS_PER_MINUTE: "10000000",
  ERRAND_RATE_BURST: "1000000",
  ERRAND_MAX_QUEUED: "0",
};

export async function setStage(signal: AbortSignal, onProgress: (text: string) => void): Promise<Stage> {
  await using disposables = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  disposables.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString } = disposables.use(await joinEmbeddedServer(dataDir, onProgress));
  signal.throwIfAborted();
  onProgress("Starting the service");
  const service = disposables.use(
    await startService({ ...ENV, ERRAND_DATA_DIR: dataDir }, join(dataDir, "service.log")),
  );
  signal.throwIfAborted();
  const poolSize = readConfig(ENV, dataDir).databasePoolSize;
  const bareRoute = disposables.use(await startBareRoute(connectionString, poolSize));
  signal.throwIfAborted();
  const generator = disposables.use(startGenerator());
  const database = disposables.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
  const owned = disposables.move();
  return {
    service,
    bareRoute,
    generator,
    database,
    connectionString,
    poolSize,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
