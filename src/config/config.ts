import { resolve } from "node:path";
import { type ModelProvider, parseModelSpec } from "../models/model-spec.ts";
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

/** Everything that is needed to ask one model. */
export interface ModelAccess {
  /** As `provider:model`. */
  spec: string;
  /** Null: the provider's own address. */
  baseUrl: string | null;
  /** Null for servers that want none. */
  apiKey: string | null;
  silenceMs: number;
  /** How long it is waited for when it is down. */
  patienceMs: number;
  /** The variable that names the model; those of its address and key begin with it. */
  setting: string;
}

interface ConfiguredModels {
  /** Null: the built-in planner. */
  planner: ModelAccess | null;
  /** Null: nothing but checks by code. */
  verifier: ModelAccess | null;
}

/** Which models the settings ask for. What is missing is added to `problems`. */
function resolveModels(settings: Settings, problems: string[]): ConfiguredModels {
  const planner = resolveModel(settings, {
    setting: "ERRAND_MODEL",
    spec: settings.model,
    baseUrl: settings.modelBaseUrl,
    apiKey: settings.modelApiKey,
  });
  const verifier = resolveVerifier(settings, planner);
  for (const access of new Set([planner, verifier])) {
    if (access !== null) problems.push(...findMissingSettings(access));
  }
  return { planner, verifier };
}

interface ModelSettings {
  setting: string;
  spec: string | null;
  baseUrl: string | null;
  apiKey: string | null;
}

const PROVIDER_KEYS = {
  anthropic: { setting: "anthropicApiKey", variable: "ANTHROPIC_API_KEY" },
  openai: { setting: "openaiApiKey", variable: "OPENAI_API_KEY" },
  google: { setting: "googleApiKey", variable: "GOOGLE_GENERATIVE_AI_API_KEY" },
} as const satisfies Record<Exclude<ModelProvider, "openai-compatible">, { setting: keyof Settings; variable: string }>;

function resolveModel(settings: Settings, { setting, spec, baseUrl, apiKey }: ModelSettings): ModelAccess | null {
  if (spec === null) return null;
  const { provider } = parseModelSpec(spec);
  const usual = provider === "openai-compatible" ? null : settings[PROVIDER_KEYS[provider].setting];
  return {
    spec,
    baseUrl,
    apiKey: apiKey ?? usual,
    silenceMs: settings.modelTimeoutSeconds * 1_000,
    patienceMs: settings.modelPatienceSeconds * 1_000,
    setting,
  };
}

function resolveVerifier(settings: Settings, planner: ModelAccess | null): ModelAccess | null {
  const { verifierModel: spec, verifierModelBaseUrl, verifierModelApiKey } = settings;
  if (spec === null) return planner;
  const isSameProvider = planner !== null && providerOf(planner.spec) === providerOf(spec);
  const baseUrl = verifierModelBaseUrl ?? (isSameProvider ? planner.baseUrl : null);
  // The planner's key goes to no other address than the planner's.
  const isSamePlace = isSameProvider && baseUrl === planner.baseUrl;
  const apiKey = verifierModelApiKey ?? (isSamePlace ? planner.apiKey : null);
  return resolveModel(settings, { setting: "ERRAND_VERIFIER_MODEL", spec, baseUrl, apiKey });
}

function findMissingSettings({ spec, baseUrl, apiKey, setting }: ModelAccess): string[] {
  const provider = providerOf(spec);
  if (provider === "openai-compatible") {
    if (baseUrl !== null) return [];
    return [`${setting}_BASE_URL must be set to the address of the model server, because ${setting} is ${provider}`];
  }
  if (apiKey !== null) return [];
  return [
    `${setting}_API_KEY must be set (or ${PROVIDER_KEYS[provider].variable}), because ${setting} is at ${provider}`,
  ];
}

function providerOf(spec: string): ModelProvider {
  return parseModelSpec(spec).provider;
}

/** A bucket in an S3-compatible store, and how it is reached. */
interface BucketAccess {
  bucket: string;
  /** Null: Amazon's own, by region. */
  endpoint: string | null;
  /** Null: the one that the AWS SDK finds, or any where an endpoint is given. */
  region: string | null;
  /** Stands in front of every key; empty or with a slash at its end. */
  prefix: string;
  /** Null: those that the AWS SDK finds. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
  isPathStyle: boolean;
}

const VARIABLE_PREFIX = "ERRAND_ARTIFACTS_S3_";

/** Where the settings want artifacts to be kept: null is the data directory. What is missing is added to `problems`. */
function resolveArtifacts(settings: Settings, problems: string[]): BucketAccess | null {
  const {
    artifactsS3Bucket: bucket,
    artifactsS3Endpoint: endpoint,
    artifactsS3Region: region,
    artifactsS3Prefix: prefix,
    artifactsS3AccessKeyId: accessKeyId,
    artifactsS3SecretAccessKey: secretAccessKey,
    artifactsS3ForcePathStyle: forcePathStyle,
  } = settings;
  const given = {
    ENDPOINT: endpoint,
    REGION: region,
    PREFIX: prefix === "" ? null : prefix,
    ACCESS_KEY_ID: accessKeyId,
    SECRET_ACCESS_KEY: secretAccessKey,
    FORCE_PATH_STYLE: forcePathStyle,
  };
  const [first] = Object.entries(given).find(([, value]) => value !== null) ?? [];
  if (bucket === null) {
    if (first !== undefined)
      problems.push(`${VARIABLE_PREFIX}BUCKET must be set, because ${VARIABLE_PREFIX}${first} is`);
    return null;
  }
  if ((accessKeyId === null) !== (secretAccessKey === null)) {
    const [missing, present] = accessKeyId === null ? CREDENTIAL_SETTINGS : CREDENTIAL_SETTINGS.toReversed();
    problems.push(`${VARIABLE_PREFIX}${missing} must be set, because ${VARIABLE_PREFIX}${present} is`);
  }
  return {
    bucket,
    endpoint,
    region,
    prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
    credentials: accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey },
    isPathStyle: forcePathStyle ?? endpoint !== null,
  };
}

const CREDENTIAL_SETTINGS = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY"];
