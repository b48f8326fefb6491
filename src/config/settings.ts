import {
  bucketName,
  databaseUrl,
  flag,
  hosts,
  integer,
  keyPrefix,
  modelName,
  modelUrl,
  oneOf,
  origin,
  type SettingType,
  secret,
  secrets,
  storeUrl,
  text,
  url,
  urls,
} from "./setting-types.ts";

/** One environment variable. `fallback` is text, so that the default is read like any other value. */
interface Setting<Value, Fallback extends string | null> {
  env: string;
  type: SettingType<Value>;
  fallback: Fallback;
  about: string;
}

function setting<Value, Fallback extends string | null>(
  env: string,
  type: SettingType<Value>,
  fallback: Fallback,
  about: string,
): Setting<Value, Fallback> {
  return { env, type, fallback, about };
}

/** Every setting there is. docs/configuration.md is generated from this table. */
export const SETTINGS = {
  host: setting("ERRAND_HOST", text(), "127.0.0.1", "The network address to listen on."),
  port: setting("ERRAND_PORT", integer({ min: 0, max: 65_535 }), "8787", "The port to listen on; 0 takes a free one."),
  publicUrl: setting(
    "ERRAND_PUBLIC_URL",
    origin(),
    null,
    "The address people and applications use: the OAuth issuer. Default: the host and port it listens on.",
  ),
  trustProxy: setting(
    "ERRAND_TRUST_PROXY",
    flag(),
    "false",
    "Whether a reverse proxy in front sets `X-Forwarded-For`. Only then is that header believed.",
  ),
  dataDir: setting(
    "ERRAND_DATA_DIR",
    text(),
    "data",
    "Where the embedded database, the secret key and, without a bucket, artifacts are kept.",
  ),
  databaseUrl: setting(
    "DATABASE_URL",
    databaseUrl(),
    null,
    "A PostgreSQL (14 or newer) to use. Default: an embedded PostgreSQL in the data directory.",
  ),
  databasePoolSize: setting(
    "ERRAND_DATABASE_POOL_SIZE",
    integer({ min: 2, max: 500 }),
    "10",
    "How many database connections one process may hold.",
  ),
  secretKey: setting(
    "ERRAND_SECRET_KEY",
    secret(32),
    null,
    "The master key. Default: made at the first start and kept in the data directory. Processes on one database must share it.",
  ),
  otherSecretKeys: setting(
    "ERRAND_OTHER_SECRET_KEYS",
    secrets(32),
    "",
    "Further master keys, for reading only, while the master key is being changed: see `errand key rotate --help`.",
  ),
  artifactsS3Bucket: setting(
    "ERRAND_ARTIFACTS_S3_BUCKET",
    bucketName(),
    null,
    "A bucket in an S3-compatible store for artifacts. Default: the data directory. Processes on one database must share it.",
  ),
  artifactsS3Endpoint: setting(
    "ERRAND_ARTIFACTS_S3_ENDPOINT",
    storeUrl(),
    null,
    "The address of that store. Default: Amazon's own.",
  ),
  artifactsS3Region: setting(
    "ERRAND_ARTIFACTS_S3_REGION",
    text(),
    null,
    "The bucket's region. Default: what the AWS SDK finds (`AWS_REGION`); `us-east-1` where an endpoint is set.",
  ),
  artifactsS3Prefix: setting(
    "ERRAND_ARTIFACTS_S3_PREFIX",
    keyPrefix(),
    "",
    "What stands in front of every object's name, for a bucket that others use, too.",
  ),
  artifactsS3AccessKeyId: setting(
    "ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID",
    secret(1),
    null,
    "The access key for the bucket. Default: what the AWS SDK finds (variables, profile, role of the machine).",
  ),
  artifactsS3SecretAccessKey: setting(
    "ERRAND_ARTIFACTS_S3_SECRET_ACCESS_KEY",
    secret(1),
    null,
    "The secret that belongs to that access key.",
  ),
  artifactsS3ForcePathStyle: setting(
    "ERRAND_ARTIFACTS_S3_FORCE_PATH_STYLE",
    flag(),
    null,
    "Whether the bucket's name stands in the path instead of the host. Default: `true` where an endpoint is set.",
  ),
  model: setting("ERRAND_MODEL", modelName(), null, "The planner's model. Default: the built-in planner, no model."),
  modelBaseUrl: setting(
    "ERRAND_MODEL_BASE_URL",
    modelUrl(),
    null,
    "The address of the model server; `openai-compatible` needs one. Default: the provider's own.",
  ),
  modelApiKey: setting(
    "ERRAND_MODEL_API_KEY",
    secret(1),
    null,
    "The key for the model's provider. Default: the provider's usual variable, below; none for `openai-compatible`.",
  ),
  verifierModel: setting("ERRAND_VERIFIER_MODEL", modelName(), null, "The verifier's model. Default: the planner's."),
  verifierModelBaseUrl: setting(
    "ERRAND_VERIFIER_MODEL_BASE_URL",
    modelUrl(),
    null,
    "The address of the verifier's model server. Default: the planner's, if the provider is the same.",
  ),
  verifierModelApiKey: setting(
    "ERRAND_VERIFIER_MODEL_API_KEY",
    secret(1),
    null,
    "The key for the verifier's model. Default: the planner's, if provider and address are the same.",
  ),
  modelTimeoutSeconds: setting(
    "ERRAND_MODEL_TIMEOUT_SECONDS",
    // Node's own limit for a connection on which nothing comes is five minutes.
    integer({ min: 1, max: 300 }),
    "120",
    "How long a model may send nothing before it is asked again; one answer may take five times as long.",
  ),
  modelPatienceSeconds: setting(
    "ERRAND_MODEL_PATIENCE_SECONDS",
    integer({ min: 0, max: 3_600 }),
    "180",
    "How long an execution waits for a model that is down or overloaded before it ends as `model_error`.",
  ),
  anthropicApiKey: setting("ANTHROPIC_API_KEY", secret(1), null, "The key for `anthropic` models, if no other is set."),
  openaiApiKey: setting("OPENAI_API_KEY", secret(1), null, "The key for `openai` models, if no other is set."),
  googleApiKey: setting(
    "GOOGLE_GENERATIVE_AI_API_KEY",
    secret(1),
    null,
    "The key for `google` models, if no other is set.",
  ),
  browserPath: setting(
    "ERRAND_BROWSER_PATH",
    text(),
    null,
    "The Chrome, Chromium or headless shell to run. Default: the first one found.",
  ),
  browserCdpUrls: setting(
    "ERRAND_BROWSER_CDP_URL",
    urls("http:", "https:", "ws:", "wss:"),
    "",
    "Browsers that run beside the worker already, by their DevTools addresses on loopback, instead of starting some.",
  ),
  browserMaxMemoryMb: setting(
    "ERRAND_BROWSER_MAX_MEMORY_MB",
    integer({ min: 0, max: 1_048_576 }),
    "2048",
    "How much memory the browser of one execution may take before it is ended as `site_error`; 0 for no limit. Not for remote browsers.",
  ),
  concurrency: setting(
    "ERRAND_CONCURRENCY",
    integer({ min: 1, max: 100 }),
    "2",
    "How many executions one worker process runs at a time.",
  ),
  leaseSeconds: setting(
    "ERRAND_LEASE_SECONDS",
    integer({ min: 2, max: 3_600 }),
    "30",
    "After how many seconds of silence a worker counts as lost, and others end or take over its executions.",
  ),
  maxSignIns: setting(
    "ERRAND_MAX_SIGN_INS",
    integer({ min: 1, max: 1_000 }),
    "5",
    "How many people may be signing in to sites by hand at a time, in one process; each has a browser of their own.",
  ),
  signInCheckHours: setting(
    "ERRAND_SIGN_IN_CHECK_HOURS",
    integer({ min: 0, max: 8_760 }),
    "0",
    "After how many hours without use a saved sign-in is checked; 0 checks before executions only.",
  ),
  maxSteps: setting(
    "ERRAND_MAX_STEPS",
    integer({ min: 1, max: 1_000 }),
    "50",
    "How many steps one execution may take before it ends as `step_limit`.",
  ),
  maxMinutes: setting(
    "ERRAND_MAX_MINUTES",
    integer({ min: 1, max: 720 }),
    "10",
    "How many minutes one execution may take before it ends as `timed_out`.",
  ),
  maxTokens: setting(
    "ERRAND_MAX_TOKENS",
    integer({ min: 1_000, max: 1_000_000_000 }),
    "1000000",
    "How many tokens of models one execution may use, sent and received, before it ends as `step_limit`.",
  ),
  demo: setting(
    "ERRAND_DEMO",
    flag(),
    "true",
    "Whether `errand start` also opens the demo shop on loopback, as a place for first errands.",
  ),
  allowHosts: setting(
    "ERRAND_ALLOW_HOSTS",
    hosts(),
    "",
    "Private hosts that runs and webhooks may reach, such as `127.0.0.1:4010`. None by default.",
  ),
  executionPrice: setting(
    "ERRAND_EXECUTION_PRICE",
    integer({ min: 0, max: 1_000_000 }),
    "1",
    "What one verified execution costs, in credits.",
  ),
  creditsLowAt: setting(
    "ERRAND_CREDITS_LOW_AT",
    integer({ min: 0, max: 1_000_000_000 }),
    "10",
    "From which balance on an owner's webhooks are told that credits are low.",
  ),
  createsPerMinute: setting(
    "ERRAND_CREATES_PER_MINUTE",
    integer({ min: 1, max: 10_000_000 }),
    "600",
    "How many executions one token, or one owner in the console, may create or cancel in a minute.",
  ),
  readsPerMinute: setting(
    "ERRAND_READS_PER_MINUTE",
    integer({ min: 1, max: 10_000_000 }),
    "3000",
    "How often one token may read in a minute.",
  ),
  rateBurst: setting(
    "ERRAND_RATE_BURST",
    integer({ min: 1, max: 1_000_000 }),
    "100",
    "How many of either may come at once.",
  ),
  maxQueued: setting(
    "ERRAND_MAX_QUEUED",
    integer({ min: 0, max: 1_000_000 }),
    "10000",
    "How many executions of one connection may wait in the queue before creates are answered 429; 0 is no limit.",
  ),
  maxOpenPerToken: setting(
    "ERRAND_MAX_OPEN_PER_TOKEN",
    integer({ min: 1, max: 100_000 }),
    "100",
    "How many waiting reads (`?wait`) and event streams one token, or one person in the console, may have open.",
  ),
  maxOpen: setting(
    "ERRAND_MAX_OPEN",
    integer({ min: 1, max: 100_000 }),
    "2000",
    "How many of those one process keeps open for all.",
  ),
  maxConnections: setting(
    "ERRAND_MAX_CONNECTIONS",
    integer({ min: 1, max: 1_000_000 }),
    "5000",
    "How many network connections one process accepts; further ones are closed at once.",
  ),
  signInsPerMinute: setting(
    "ERRAND_SIGN_INS_PER_MINUTE",
    integer({ min: 1, max: 10_000_000 }),
    "10",
    "Attempts to sign in or up in a minute, per network address and per account.",
  ),
  keepExecutionsDays: setting(
    "ERRAND_KEEP_EXECUTIONS_DAYS",
    integer({ min: 0, max: 36_500 }),
    "0",
    "How many days executions are kept after they ended, with their events and artifacts; 0 keeps them for ever.",
  ),
  keepArtifactsDays: setting(
    "ERRAND_KEEP_ARTIFACTS_DAYS",
    integer({ min: 0, max: 36_500 }),
    "0",
    "How many days artifacts are kept after their execution ended; 0 keeps them as long as the execution.",
  ),
  shutdownSeconds: setting(
    "ERRAND_SHUTDOWN_SECONDS",
    integer({ min: 1, max: 3_600 }),
    "20",
    "How long a stopping service waits for what is in flight.",
  ),
  workerPort: setting(
    "ERRAND_WORKER_PORT",
    integer({ min: 0, max: 65_535 }),
    "0",
    "The port on which a worker without the `api` role answers `/healthz`, `/readyz` and `/metrics`; 0 takes a free one.",
  ),
  metricsToken: setting(
    "ERRAND_METRICS_TOKEN",
    secret(16),
    null,
    "What a request for `/metrics` from another machine brings, as `Authorization: Bearer <token>`. Default: none may ask.",
  ),
  otlpEndpoint: setting(
    "ERRAND_OTLP_ENDPOINT",
    url("http:", "https:"),
    null,
    "Where traces go, by OTLP over HTTP, such as `http://127.0.0.1:4318`. Default: there are none.",
  ),
  traceSamplePercent: setting(
    "ERRAND_TRACE_SAMPLE_PERCENT",
    integer({ min: 0, max: 100 }),
    "100",
    "Of how many creates in a hundred there is a trace, when the caller's `traceparent` does not say.",
  ),
  logLevel: setting(
    "ERRAND_LOG_LEVEL",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "info",
    "How much is logged.",
  ),
} satisfies Record<string, Setting<unknown, string | null>>;

type ValueOf<S> =
  S extends Setting<infer Value, infer Fallback> ? (Fallback extends string ? Value : Value | null) : never;

export type Settings = { [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };
