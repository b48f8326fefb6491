import { resolve } from "node:path";
import { type BucketAccess, resolveArtifacts } from "./artifact-access.ts";
import { type ConfiguredModels, resolveModels } from "./model-access.ts";
import { SETTINGS, type Settings } from "./settings.ts";

export interface Config extends Settings {
  publicUrl: string;
  models: ConfiguredModels;
  /** Null: artifacts are kept in the data directory. */
  artifactBucket: BucketAccess | null;
  /** Odd, but no reason to refuse to start. */
  warnings: string[];
}

export type Environment = Record<string, string | undefined>;

/** All mistakes at once, by name. */
export class ConfigError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(
      `The settings have ${problems.length === 1 ? "a mistake" : "mistakes"}:\n${problems.map((line) => `  ${line}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Reads settings. An empty variable counts as absent; a relative data directory stands in `baseDir`. */
export function readConfig(env: Environment, baseDir: string): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { env: variable, type, fallback }] of Object.entries(SETTINGS)) {
    const given = env[variable]?.trim() || fallback;
    if (given === null) {
      values[name] = null;
      continue;
    }
    try {
      values[name] = type.parse(given);
    } catch (error) {
      problems.push(`${variable} ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const settings = values as unknown as Settings;
  const models = resolveModels(settings, problems);
  const artifactBucket = resolveArtifacts(settings, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...settings,
    dataDir: resolve(baseDir, settings.dataDir),
    publicUrl: settings.publicUrl ?? defaultPublicUrl(settings.host, settings.port),
    models,
    artifactBucket,
    warnings: unknownVariables(env),
  };
}

/** A listening address that names no host (0.0.0.0, ::) is reached on loopback. */
export function defaultPublicUrl(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** A typing mistake in a name would otherwise leave a default silently in force. */
function unknownVariables(env: Environment): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map((setting) => setting.env));
  return Object.keys(env)
    .filter((name) => name.startsWith("ERRAND_") && !known.has(name))
    .map((name) => `${name} is not a setting and has no effect: see docs/configuration.md`);
}
