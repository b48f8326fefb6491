import { type Config, readConfig } from "../config/config.ts";
import { PROJECT_DIR, readEnvironment } from "../config/env.ts";

export interface ConfigOptions {
  dataDir?: string;
  host?: string;
  port?: string;
}

/** The options that almost every command has. */
export interface CommonOptions extends ConfigOptions {
  json?: boolean;
}

export const JSON_OPTION = ["--json", "print the result as one JSON object and nothing else"] as const;
export const DATA_DIR_OPTION = ["--data-dir <folder>", "folder with the data (default: ERRAND_DATA_DIR)"] as const;

/** For an option that may be repeated. */
export function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

/** The settings, in which options of the command line replace environment variables. */
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
