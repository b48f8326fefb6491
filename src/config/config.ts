import { resolve } from "node:path";
import { type ModelProvider, parseModelSpec } from "../models/model-spec.ts";
import { SETTINGS, type Settings } from "./settings.ts";

export interface Config extends Settings {
  publicUrl: string;
  models: ConfiguredModels;
  /** Null: artifacts are kept in the data directory. */
  artifactBucket: BucketAccess | null;
  /** Likely mistakes that do not prevent a start. */
  warnings: string[];
  /** What other commands need to find this installation, with a space before it: " --data-dir /srv/errand". Usually empty. */
  commandOptions: string;
}

export type Environment = Record<string, string | undefined>;

/** All invalid settings at once, by name. */
export class ConfigError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(
      `Invalid ${problems.length === 1 ? "setting" : "settings"}:\n${problems.map((line) => `  ${line}`).join("\n")}`,
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** An empty variable counts as unset. A relative data directory is resolved against `baseDir`. */
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
    warnings: warnOfUnknownVariables(env),
    commandOptions: "",
  };
}

/** The wildcard addresses (0.0.0.0, ::) are reachable on loopback. */
export function defaultPublicUrl(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Otherwise a typo in a name would silently leave the default in force. */
function warnOfUnknownVariables(env: Environment): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map((setting) => setting.env));
  return Object.keys(env)
    .filter((name) => name.startsWith("ERRAND_") && !known.has(name))
    .map((name) => `${name} is not a known setting and has no effect. See docs/configuration.md.`);
}

/** Everything needed to call one model. */
export interface ModelAccess {
  /** As `provider:model`. */
  spec: string;
  /** Null: the provider's default URL. */
  baseUrl: string | null;
  /** Null for servers that need none. */
  apiKey: string | null;
  /** How long the server may send nothing. */
  silenceMs: number;
  /** How long to keep retrying while the server is down. */
  patienceMs: number;
  /** The variable that names the model; `_BASE_URL` and `_API_KEY` are appended for the others. */
  setting: string;
}

interface ConfiguredModels {
  /** Null: prompts are read as steps. */
  planner: ModelAccess | null;
  /** Null: the verifier checks by code only. */
  verifier: ModelAccess | null;
}

/** The configured models. Adds a problem for each missing setting. */
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
  const providerKey = provider === "openai-compatible" ? null : settings[PROVIDER_KEYS[provider].setting];
  return {
    spec,
    baseUrl,
    apiKey: apiKey ?? providerKey,
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
  // The planner's key is never sent to another server.
  const isSameServer = isSameProvider && baseUrl === planner.baseUrl;
  const apiKey = verifierModelApiKey ?? (isSameServer ? planner.apiKey : null);
  return resolveModel(settings, { setting: "ERRAND_VERIFIER_MODEL", spec, baseUrl, apiKey });
}

function findMissingSettings({ spec, baseUrl, apiKey, setting }: ModelAccess): string[] {
  const provider = providerOf(spec);
  if (provider === "openai-compatible") {
    if (baseUrl !== null) return [];
    return [
      `${setting}_BASE_URL must be set to the URL of the model server, because ${setting} uses the provider ${provider}`,
    ];
  }
  if (apiKey !== null) return [];
  return [
    `${setting}_API_KEY must be set (or ${PROVIDER_KEYS[provider].variable}), because ${setting} uses the provider ${provider}`,
  ];
}

function providerOf(spec: string): ModelProvider {
  return parseModelSpec(spec).provider;
}

/** A bucket in an S3-compatible store, and how to reach it. */
interface BucketAccess {
  bucket: string;
  /** Null: Amazon S3 in the given region. */
  endpoint: string | null;
  /** Null: what the AWS SDK finds, or a placeholder if an endpoint is set. */
  region: string | null;
  /** Prepended to every object key; empty, or ends in a slash. */
  prefix: string;
  /** Null: what the AWS SDK finds. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
  isPathStyle: boolean;
}

const VARIABLE_PREFIX = "ERRAND_ARTIFACTS_S3_";

/** The bucket for artifacts; null for the data directory. Adds a problem for each missing setting. */
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
