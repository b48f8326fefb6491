import type { Config } from "../config/config.ts";
import type { Logger } from "../lib/logger.ts";
import type { Storage } from "../storage/open-storage.ts";
import { explainingDatabase, explainingLoss } from "./explain-database.ts";
import { type ConfigOptions, loadConfig } from "./load-config.ts";
import { showProgress } from "./progress.ts";

const POOL_SIZE = 2;

/** Opens the database, beside a running service or alone, does the work, and leaves it as it was. */
export async function withStorage<Result>(
  options: ConfigOptions,
  work: (storage: Storage, config: Config, logger: Logger) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig(options);
  // Loaded here, so that a command that is only explained or refused need not wait for it.
  const [{ openStorage }, { createProcessLogger }] = await Promise.all([
    import("../storage/open-storage.ts"),
    import("./log-output.ts"),
  ]);
  const logger = createProcessLogger(config.logLevel);
  await using storage = await explainingDatabase(config, () =>
    openStorage({ ...config, poolSize: POOL_SIZE, logger, onProgress: showProgress }),
  );
  return await explainingLoss(config, () => work(storage, config, logger));
}
