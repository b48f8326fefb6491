import { type Config, readConfig } from "../config/config.ts";
import { PROJECT_DIR, readEnvironment } from "../config/env.ts";

export interface ConfigOptions {
  dataDir?: string;
  host?: string;
  port?: string;
}

/** The settings, with what was said on the command line in place of the environment. */
export function loadConfig({ dataDir, host, port }: ConfigOptions): Config {
  const env = readEnvironment();
  return readConfig(
    {
      ...env,
      ...(dataDir === undefined ? {} : { ERRAND_DATA_DIR: dataDir }),
      ...(host === undefined ? {} : { ERRAND_HOST: host }),
      ...(port === undefined ? {} : { ERRAND_PORT: port }),
    },
    dataDir === undefined ? PROJECT_DIR : process.cwd(),
  );
}
