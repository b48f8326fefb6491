import {
  bucketName,
  databaseUrl,
  flag,
  hosts,
  integer,
  keyPrefix,
  mailServerUrl,
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

/** One environment variable. `fallback` is text, so that the default is parsed like any other value. */
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

/** All settings. docs/configuration.md is generated from this table. */
export const SETTINGS = {
  host: setting("ERRAND_HOST", text(), "127.0.0.1", "The network address to listen on."),
  port: setting("ERRAND_PORT", integer({ min: 0, max: 65_535 }), "8787", "The port to listen on; 0 picks a free one."),
  publicUrl: setting(
    "ERRAND_PUBLIC_URL",
    origin(),
    null,
    "The URL that people and applications use; also the OAuth issuer. Default: `http://` with the host and port above.",
  ),
  trustProxy: setting(
    "ERRAND_TRUST_PROXY",
    flag(),
    "false",
    "Set to `true` if a reverse proxy in front sets `X-Forwarded-For`. Otherwise the header is ignored.",
  ),
  smtpUrl: setting(
    "ERRAND_SMTP_URL",
    mailServerUrl(),
    null,
    "The mail server for links to reset a password, such as `smtp://user:password@mail.example:587`. Default: none; `errand user reset-password` creates such links.",
  ),
  mailFrom: setting("ERRAND_MAIL_FROM", text(), "Errand <errand@localhost>", "The sender of these mails."),
  dataDir: setting(
    "ERRAND_DATA_DIR",
    text(),
    "data",
    "Folder for the embedded database, the master key and, unless a bucket is set, artifacts.",
  ),
  databaseUrl: setting(
    "DATABASE_URL",
    databaseUrl(),
    null,
    "The PostgreSQL database (14 or newer). Default: an embedded PostgreSQL in the data directory.",
  ),
  databasePoolerUrl: setting(
    "ERRAND_DATABASE_POOLER_URL",
    databaseUrl(),
    null,
    "The same database through a pooler in transaction mode, such as PgBouncer. API and worker processes send their statements there; migrations, notifications and background jobs use `DATABASE_URL`.",
  ),
  databasePoolSize: setting(
    "ERRAND_DATABASE_POOL_SIZE",
    integer({ min: 2, max: 500 }),
    "10",
    "Maximum database connections per process.",
  ),
  secretKey: setting(
    "ERRAND_SECRET_KEY",
    secret(32),
    null,
    "The master key. Default: generated on the first start and kept in the data directory. All processes on one database must use the same key.",
  ),
  otherSecretKeys: setting(
    "ERRAND_OTHER_SECRET_KEYS",
    secrets(32),
    "",
    "Additional master keys for decryption only, while the master key is being changed. See `errand key rotate --help`.",
  ),
  artifactsS3Bucket: setting(
    "ERRAND_ARTIFACTS_S3_BUCKET",
    bucketName(),
    null,
    "A bucket in an S3-compatible store for artifacts. Default: the data directory. All processes on one database must use the same bucket.",
  ),
  artifactsS3Endpoint: setting(
    "ERRAND_ARTIFACTS_S3_ENDPOINT",
    storeUrl(),
    null,
    "The URL of the store. Default: Amazon S3.",
  ),
  artifactsS3Region: setting(
    "ERRAND_ARTIFACTS_S3_REGION",
    text(),
    null,
    "The bucket's region. Default: what the AWS SDK finds (`AWS_REGION`), or `us-east-1` if an endpoint is set.",
  ),
  artifactsS3Prefix: setting(
    "ERRAND_ARTIFACTS_S3_PREFIX",
    keyPrefix(),
    "",
    "Prefix for all object keys, for a bucket that is shared with other programs.",
  ),
  artifactsS3AccessKeyId: setting(
    "ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID",
    secret(1),
    null,
    "The access key for the bucket. Default: what the AWS SDK finds (environment, profile, machine role).",
  ),
  artifactsS3SecretAccessKey: setting(
    "ERRAND_ARTIFACTS_S3_SECRET_ACCESS_KEY",
    secret(1),
    null,
    "The secret for that access key.",
  ),
  artifactsS3ForcePathStyle: setting(
    "ERRAND_ARTIFACTS_S3_FORCE_PATH_STYLE",
    flag(),
    null,
    "Whether the bucket name goes into the path instead of the host. Default: `true` if an endpoint is set.",
  ),
  model: setting(
    "ERRAND_MODEL",
    modelName(),
    null,
    "The planner's model. Default: none; prompts are then read as steps.",
  ),
  modelBaseUrl: setting(
    "ERRAND_MODEL_BASE_URL",
    modelUrl(),
    null,
    "The URL of the model server; required for `openai-compatible`. Default: the provider's own.",
  ),
  modelApiKey: setting(
    "ERRAND_MODEL_API_KEY",
    secret(1),
    null,
    "The API key for the model. Default: the provider's variable below; none for `openai-compatible`.",
  ),
  verifierModel: setting("ERRAND_VERIFIER_MODEL", modelName(), null, "The verifier's model. Default: the planner's."),
  verifierModelBaseUrl: setting(
    "ERRAND_VERIFIER_MODEL_BASE_URL",
    modelUrl(),
    null,
    "The URL of the verifier's model server. Default: the planner's, if the provider is the same.",
  ),
  verifierModelApiKey: setting(
    "ERRAND_VERIFIER_MODEL_API_KEY",
    secret(1),
    null,
    "The API key for the verifier's model. Default: the planner's, if provider and URL are the same.",
  ),
  modelTimeoutSeconds: setting(
    "ERRAND_MODEL_TIMEOUT_SECONDS",
    // Node itself closes a connection that is silent for five minutes.
    integer({ min: 1, max: 300 }),
    "120",
    "How long a model may send nothing before the request is repeated. A whole response may take five times as long.",
  ),
  modelPatienceSeconds: setting(
    "ERRAND_MODEL_PATIENCE_SECONDS",
    integer({ min: 0, max: 3_600 }),
    "180",
    "How long an execution waits for a model that is down or overloaded before it fails with `model_error`.",
  ),
  anthropicApiKey: setting(
    "ANTHROPIC_API_KEY",
    secret(1),
    null,
    "The API key for `anthropic` models, unless one is set above.",
  ),
  openaiApiKey: setting("OPENAI_API_KEY", secret(1), null, "The API key for `openai` models, unless one is set above."),
  googleApiKey: setting(
    "GOOGLE_GENERATIVE_AI_API_KEY",
    secret(1),
    null,
    "The API key for `google` models, unless one is set above.",
  ),
  browserPath: setting(
    "ERRAND_BROWSER_PATH",
    text(),
    null,
    "Path to the Chrome, Chromium or headless shell to run. Default: the first one found.",
  ),
  browserCdpUrls: setting(
    "ERRAND_BROWSER_CDP_URL",
    urls("http:", "https:", "ws:", "wss:"),
    "",
    "DevTools URLs of browsers that are already running on this machine (loopback only), used instead of starting new ones.",
  ),
  browserMaxMemoryMb: setting(
    "ERRAND_BROWSER_MAX_MEMORY_MB",
    integer({ min: 0, max: 1_048_576 }),
    "2048",
    "Memory limit for the browser of one execution, in which verification opens pages again; beyond it the execution fails with `site_error`. 0 means no limit. Not applied to browsers at `ERRAND_BROWSER_CDP_URL`.",
  ),
  concurrency: setting(
    "ERRAND_CONCURRENCY",
    integer({ min: 1, max: 100 }),
    "2",
    "How many executions a worker process runs at the same time.",
  ),
  leaseSeconds: setting(
    "ERRAND_LEASE_SECONDS",
    integer({ min: 2, max: 3_600 }),
    "30",
    "Seconds without a heartbeat after which a worker counts as lost. Other workers then end or take over its executions.",
  ),
  maxSignIns: setting(
    "ERRAND_MAX_SIGN_INS",
    integer({ min: 1, max: 1_000 }),
    "5",
    "How many people may sign in to sites in a live browser at the same time, per process; each needs a browser.",
  ),
  signInCheckHours: setting(
    "ERRAND_SIGN_IN_CHECK_HOURS",
    integer({ min: 0, max: 8_760 }),
    "0",
    "Hours without use after which a saved sign-in is checked; 0 checks it only before executions.",
  ),
  maxSteps: setting(
    "ERRAND_MAX_STEPS",
    integer({ min: 1, max: 1_000 }),
    "50",
    "Maximum steps of one execution; beyond that it fails with `step_limit`.",
  ),
  maxMinutes: setting(
    "ERRAND_MAX_MINUTES",
    integer({ min: 1, max: 720 }),
    "10",
    "Maximum minutes of one execution; beyond that it fails with `timed_out`.",
  ),
  approvalMinutes: setting(
    "ERRAND_APPROVAL_MINUTES",
    integer({ min: 1, max: 1_440 }),
    "15",
    "How many minutes a run waits for a person to approve or answer something; then it fails with `approval_expired` or `interaction_expired`. The time does not count against `ERRAND_MAX_MINUTES`.",
  ),
  maxTokens: setting(
    "ERRAND_MAX_TOKENS",
    integer({ min: 1_000, max: 1_000_000_000 }),
    "1000000",
    "Maximum model tokens of one execution, input and output; beyond that it fails with `step_limit`.",
  ),
  recipes: setting(
    "ERRAND_RECIPES",
    oneOf("on", "off"),
    "on",
    "`off`: no execution runs with a recipe, and nothing is learned. Each application can also turn them off for itself.",
  ),
  backgroundJobs: setting(
    "ERRAND_BACKGROUND_JOBS",
    oneOf("on", "off"),
    "on",
    "`off`: this worker only runs executions. Two or three workers must have it on: they deliver webhooks, check saved sign-ins and remove what is old.",
  ),
  demo: setting(
    "ERRAND_DEMO",
    flag(),
    "true",
    "Whether `errand start` also starts the demo shop on loopback, to try errands on.",
  ),
  allowHosts: setting(
    "ERRAND_ALLOW_HOSTS",
    hosts(),
    "",
    "Private hosts that executions and webhooks may reach, such as `127.0.0.1:4010`.",
  ),
  executionPrice: setting(
    "ERRAND_EXECUTION_PRICE",
    integer({ min: 0, max: 1_000_000 }),
    "1",
    "Price of one verified execution, in credits.",
  ),
  creditsLowAt: setting(
    "ERRAND_CREDITS_LOW_AT",
    integer({ min: 0, max: 1_000_000_000 }),
    "10",
    "Webhooks get `credits.low` when the balance falls to this number of credits.",
  ),
  createsPerMinute: setting(
    "ERRAND_CREATES_PER_MINUTE",
    integer({ min: 1, max: 10_000_000 }),
    "600",
    "How many executions one token, or one owner in the console, may create or cancel per minute.",
  ),
  readsPerMinute: setting(
    "ERRAND_READS_PER_MINUTE",
    integer({ min: 1, max: 10_000_000 }),
    "3000",
    "How many read requests one token may send per minute.",
  ),
  rateBurst: setting(
    "ERRAND_RATE_BURST",
    integer({ min: 1, max: 1_000_000 }),
    "100",
    "Burst size of both limits above.",
  ),
  maxQueued: setting(
    "ERRAND_MAX_QUEUED",
    integer({ min: 0, max: 1_000_000 }),
    "10000",
    "How many executions of one connection may be queued; beyond that creates get 429. 0 means no limit.",
  ),
  maxOpenPerToken: setting(
    "ERRAND_MAX_OPEN_PER_TOKEN",
    integer({ min: 1, max: 100_000 }),
    "100",
    "How many waiting reads (`?wait`) and event streams one token, or one person in the console, may keep open.",
  ),
  maxOpen: setting(
    "ERRAND_MAX_OPEN",
    integer({ min: 1, max: 100_000 }),
    "2000",
    "How many of those one process keeps open in total.",
  ),
  maxConnections: setting(
    "ERRAND_MAX_CONNECTIONS",
    integer({ min: 1, max: 1_000_000 }),
    "5000",
    "How many network connections one process accepts; further ones are closed immediately. Unless a proxy is trusted, one network (an IPv4 address or an IPv6 /64) gets at most half of them.",
  ),
  signInsPerMinute: setting(
    "ERRAND_SIGN_INS_PER_MINUTE",
    integer({ min: 1, max: 10_000_000 }),
    "10",
    "Attempts to sign in or sign up per minute from one network (an IPv4 address or an IPv6 /64). One account allows ten times as many at once from browsers that never signed in to it, and then a tenth per minute. A browser that did has its own limit.",
  ),
  keepExecutionsDays: setting(
    "ERRAND_KEEP_EXECUTIONS_DAYS",
    integer({ min: 0, max: 36_500 }),
    "0",
    "How many days executions are kept after they end, with their events and artifacts; 0 keeps them forever.",
  ),
  keepArtifactsDays: setting(
    "ERRAND_KEEP_ARTIFACTS_DAYS",
    integer({ min: 0, max: 36_500 }),
    "0",
    "How many days artifacts are kept after their execution ends; 0 keeps them as long as the execution.",
  ),
  shutdownSeconds: setting(
    "ERRAND_SHUTDOWN_SECONDS",
    integer({ min: 1, max: 3_600 }),
    "20",
    "How long a stopping process waits for open requests and running executions.",
  ),
  workerPort: setting(
    "ERRAND_WORKER_PORT",
    integer({ min: 0, max: 65_535 }),
    "0",
    "Port of a worker without the `api` role for `/healthz`, `/readyz` and `/metrics`; 0 picks a free one.",
  ),
  metricsToken: setting(
    "ERRAND_METRICS_TOKEN",
    secret(16),
    null,
    "Required for `/metrics` requests from other machines, as `Authorization: Bearer <token>`. Default: requests from other machines are refused.",
  ),
  otlpEndpoint: setting(
    "ERRAND_OTLP_ENDPOINT",
    url("http:", "https:"),
    null,
    "Where to send traces, by OTLP over HTTP, such as `http://127.0.0.1:4318`. Default: no traces.",
  ),
  traceSamplePercent: setting(
    "ERRAND_TRACE_SAMPLE_PERCENT",
    integer({ min: 0, max: 100 }),
    "100",
    "Percentage of creates that are traced, unless the caller's `traceparent` decides.",
  ),
  logLevel: setting(
    "ERRAND_LOG_LEVEL",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "info",
    "The minimum level of log lines.",
  ),
} satisfies Record<string, Setting<unknown, string | null>>;

type ValueOf<S> =
  S extends Setting<infer Value, infer Fallback> ? (Fallback extends string ? Value : Value | null) : never;

export type Settings = { [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };
