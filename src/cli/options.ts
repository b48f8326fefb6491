import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { type Config, readConfig } from "../config/config.ts";
import { readEnvironment } from "../config/env.ts";
import { SETTINGS } from "../config/settings.ts";
import { PROJECT_DIR } from "../lib/installation.ts";

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

/** An option that may be repeated. `defaultText` is the default as the help shows it. */
export function listOption(flags: string, description: string, defaultText = "none"): Option {
  return new Option(flags, description)
    .default([], defaultText)
    .argParser((value: string, earlier: string[]) => [...earlier, value]);
}

/** The settings for a command beside the service. Its links lead to where the service was started last, also by --port. */
export function loadConfig(options: ConfigOptions): Config {
  const config = loadServiceConfig(options);
  const path = join(config.dataDir, URL_FILE);
  const isUrlSet = Boolean(readEnvironment()["ERRAND_PUBLIC_URL"]?.trim());
  const saved = isUrlSet || !existsSync(path) ? null : URL.parse(readFileSync(path, "utf8").trim());
  return { ...config, publicUrl: saved?.origin ?? config.publicUrl };
}

const URL_FILE = "service-url";

/** Not where the data directory cannot be written to, as in a container: commands there go by the settings. */
export function saveServiceUrl({ dataDir, publicUrl }: Config): void {
  try {
    writeFileSync(join(dataDir, URL_FILE), `${publicUrl}\n`);
  } catch (error) {
    if (!["ENOENT", "EROFS", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** The settings. Command-line options override environment variables. */
export function loadServiceConfig(options: ConfigOptions): Config {
  const { dataDir, host, port } = options;
  const env = readEnvironment();
  const config = readConfig(
    {
      ...env,
      ...(dataDir === undefined ? {} : { ERRAND_DATA_DIR: dataDir }),
      ...(host === undefined ? {} : { ERRAND_HOST: host }),
      ...(port === undefined ? {} : { ERRAND_PORT: port }),
    },
    dataDir === undefined ? PROJECT_DIR : process.cwd(),
  );
  return { ...config, commandOptions: toCommandOptions(options) };
}

/** For a command that is printed as a hint: the data directory, where it was given and is not the default. */
export function toCommandOptions({ dataDir }: ConfigOptions): string {
  const usual = readEnvironment()["ERRAND_DATA_DIR"]?.trim() || SETTINGS.dataDir.fallback;
  if (dataDir === undefined || resolve(dataDir) === resolve(PROJECT_DIR, usual)) return "";
  return ` --data-dir ${/^[\w./~-]+$/.test(dataDir) ? dataDir : `'${dataDir.replaceAll("'", "'\\''")}'`}`;
}
