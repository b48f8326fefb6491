import { randomBytes, randomUUID } from "node:crypto";
import { statfs } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { locateBrowser } from "../browser/pool/locate-browser.ts";
import type { Config } from "../config/config.ts";
import { readEnvironment } from "../config/env.ts";
import { listKeyIds } from "../config/master-keys.ts";
import type { ArtifactFiles } from "../executions/artifacts.ts";
import { ensureDirectory } from "../lib/ensure-directory.ts";
import { describeError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import { BucketFailure } from "../storage/artifacts/bucket.ts";
import type { Database } from "../storage/database.ts";
import { countSealed } from "../storage/sql/key-rotation.ts";
import { createQueueGauge } from "../storage/sql/queue.ts";
import { readBacklog } from "../storage/sql/webhook-deliveries.ts";

/** The result of one check of the installation, shown by `errand doctor` and in the console. */
export interface Finding {
  status: "ok" | "warning" | "problem";
  /** A short phrase without a final period. */
  message: string;
  /** What to do about it, in full sentences. */
  fix?: string;
}

interface ReadinessChecks {
  checkDatabase(): Promise<void>;
  /** Undefined in a process that runs no executions. */
  checkBrowser: (() => Promise<void>) | undefined;
  checkArtifacts: (() => Promise<void>) | undefined;
}

/** The checks of /readyz, each with the message for its failure. */
export function listReadinessChecks({ checkDatabase, checkBrowser, checkArtifacts }: ReadinessChecks) {
  return {
    "Cannot reach the database.": checkDatabase,
    ...(checkBrowser === undefined ? {} : { "No browser available.": checkBrowser }),
    ...(checkArtifacts === undefined ? {} : { "Cannot store artifacts.": checkArtifacts }),
  };
}

const MIN_FREE_BYTES = 1024 ** 3;

export function checkSettings({ warnings, publicUrl, secretKey, databaseUrl }: Config): Finding {
  if (warnings.length > 0)
    return { status: "warning", message: warnings.join("; "), fix: "Correct the name, or remove the variable." };
  if (databaseUrl !== null && secretKey === null) {
    return {
      status: "warning",
      message: "ERRAND_SECRET_KEY is not set, so each machine on this database would generate its own",
      fix: "Set the same ERRAND_SECRET_KEY for every process on this database.",
    };
  }
  return { status: "ok", message: `Public URL: ${publicUrl}` };
}

export async function checkDatabase({ pool }: Database, { databaseUrl }: Config): Promise<Finding> {
  const { rows } = await pool.query<{ version: string; schemaVersion: number }>(
    `select split_part(version(), ' ', 2) as version,
       (select max(version) from schema_migrations) as "schemaVersion"`,
  );
  const kind = databaseUrl === null ? "embedded" : "at DATABASE_URL";
  return {
    status: "ok",
    message: `PostgreSQL ${rows[0]?.version} ${kind}, schema version ${rows[0]?.schemaVersion}`,
  };
}

export async function checkDisk({ dataDir }: Config): Promise<Finding> {
  ensureDirectory(dataDir);
  const { bavail, bsize } = await statfs(dataDir);
  const freeBytes = bavail * bsize;
  const message = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free at ${dataDir}`;
  return freeBytes >= MIN_FREE_BYTES
    ? { status: "ok", message }
    : {
        status: "warning",
        message,
        fix: "Free some space, or set ERRAND_KEEP_ARTIFACTS_DAYS to keep artifacts for a shorter time.",
      };
}

/** Writes, reads and removes a file. */
export async function checkArtifacts(config: Config, files: ArtifactFiles): Promise<Finding> {
  const { artifactBucket, dataDir } = config;
  const [executionId, artifactId, written] = [randomUUID(), randomUUID(), randomBytes(64)];
  try {
    await files.write(executionId, artifactId, written);
    const content = await files.open(executionId, artifactId);
    const isSame = content !== null && written.equals(await buffer(content));
    await files.removeAll(executionId);
    if (!isSame) throw new Error("A file that was just written could not be read back");
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof BucketFailure ? error.cause : null;
    return {
      status: "problem",
      message: describeError(cause ?? error),
      fix: cause?.fix ?? "Make this location writable. Workers run no executions while artifacts cannot be stored.",
    };
  }
  const location = artifactBucket === null ? dataDir : `the bucket ${artifactBucket.bucket}`;
  return checkLocalArtifacts(config) ?? { status: "ok", message: `Writing, reading and removing works in ${location}` };
}

/** Null if all processes share the artifacts: in a bucket, or because the embedded database keeps them on one machine. */
export function checkLocalArtifacts({ artifactBucket, databaseUrl }: Config): Finding | null {
  if (databaseUrl === null || artifactBucket !== null) return null;
  return {
    status: "warning",
    message: "Artifacts are on this machine's disk, where processes on other machines cannot read them",
    fix: "Set ERRAND_ARTIFACTS_S3_BUCKET for every process, or run all processes on this data directory.",
  };
}

const OTLP_TIMEOUT_MS = 5_000;

/** Sends an empty batch to the trace collector. At most a warning: executions run without it. */
export async function checkTraces({ otlpEndpoint }: Config): Promise<Finding> {
  if (otlpEndpoint === null) return { status: "ok", message: "Off (ERRAND_OTLP_ENDPOINT is not set)" };
  const url = `${otlpEndpoint.replace(/\/+$/, "")}/v1/traces`;
  const fix =
    "Check ERRAND_OTLP_ENDPOINT, and that the collector accepts OTLP over HTTP. Traces are dropped until then.";
  try {
    const { ok, status } = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"resourceSpans":[]}',
      redirect: "error",
      signal: AbortSignal.timeout(OTLP_TIMEOUT_MS),
    });
    if (ok) return { status: "ok", message: `${new URL(url).host} accepts traces` };
    return { status: "warning", message: `${new URL(url).host} responds with ${status}`, fix };
  } catch (error) {
    const reason = describeError(error instanceof Error && error.cause !== undefined ? error.cause : error);
    return { status: "warning", message: `Cannot reach ${new URL(url).host}: ${reason}`, fix };
  }
}

/** `checkReady` really starts a browser: the usual problem is one that is installed but does not run. */
export async function checkBrowser(config: Config, checkReady: () => Promise<void>): Promise<Finding> {
  await checkReady();
  const { browserPath, browserCdpUrls } = config;
  if (browserCdpUrls.length > 0) {
    const hosts = browserCdpUrls.map((url) => new URL(url).host).join(", ");
    return {
      status: "ok",
      message: `Connected to ${browserCdpUrls.length === 1 ? hosts : `one of ${hosts}`}`,
    };
  }
  const browser = await locateBrowser({ explicitPath: browserPath, searchPath: readEnvironment()["PATH"] ?? "" });
  return { status: "ok", message: `${browser?.path} starts` };
}

export function checkWorker({ concurrency, maxSteps, maxMinutes, allowHosts, databasePoolSize }: Config): Finding {
  const limits = `Runs ${concurrency === 1 ? "1 execution" : `${concurrency} executions`} at a time, each up to ${maxSteps} steps and ${maxMinutes} min`;
  const reach =
    allowHosts.length === 0 ? "no private hosts allowed" : `private hosts allowed: ${allowHosts.join(", ")}`;
  const message = `${limits}; ${reach}`;
  // Each execution may hold a connection while others wait for one.
  if (databasePoolSize > concurrency) return { status: "ok", message };
  return {
    status: "warning",
    message: `${message}; ${databasePoolSize} database connections are too few for that`,
    fix: "Set ERRAND_DATABASE_POOL_SIZE higher than ERRAND_CONCURRENCY.",
  };
}

/** Whether the available master keys decrypt all stored secrets. Never creates a key. */
export async function checkKeys(database: Database, config: Config): Promise<Finding> {
  const keyIds = listKeyIds(config);
  const sealed = await countSealed(database);
  const missing = sealed.filter(({ keyId }) => !keyIds.includes(keyId));
  if (missing.length > 0) return describeMissing(missing, config);
  const [current] = keyIds;
  if (current === undefined) return { status: "ok", message: "None yet; the first start creates a master key" };
  const older = keyIds.length === 1 ? "" : ` and ${keyIds.length - 1} older`;
  return { status: "ok", message: `${current}${older}: all stored secrets can be decrypted` };
}

function describeMissing(missing: Awaited<ReturnType<typeof countSealed>>, { secretKey, dataDir }: Config): Finding {
  const signIns = missing.reduce((sum, one) => sum + one.signIns, 0);
  const webhooks = missing.reduce((sum, one) => sum + one.webhooks, 0);
  const ids = missing.map(({ keyId }) => keyId).join(", ");
  return {
    status: "problem",
    message:
      `${pluralize(signIns, "saved sign-in")} and ${pluralize(webhooks, "webhook secret")} cannot be decrypted, ` +
      `because the master key is missing: ${ids}`,
    fix:
      secretKey === null
        ? `Add your copy of the key to ${dataDir}/secret.key, one key per line, or to ERRAND_OTHER_SECRET_KEYS. Then restart.`
        : "Restore the previous ERRAND_SECRET_KEY, or add that key to ERRAND_OTHER_SECRET_KEYS, for every process. Then restart.",
  };
}

/** The queue and the backlog are counted up to this number. */
const COUNT_LIMIT = 10_000;
const LONG_WAIT_SECONDS = 60;
/** The same as in deploy/prometheus/alerts.yaml. */
const OVERDUE_SECONDS = 600;

/** Whether workers keep up, and whether one has stopped sending heartbeats. */
export async function checkQueue(database: Database, { commandOptions }: Config): Promise<Finding> {
  const { waiting, running, silent, oldestWaitSeconds } = await createQueueGauge(database).read();
  const oldest = oldestWaitSeconds === 0 ? "" : `, the next one waiting for ${formatDuration(oldestWaitSeconds)}`;
  const message = `${running} running, ${formatCount(waiting)} queued${oldest}`;
  const start = `Start one: errand start --roles worker${commandOptions}.`;
  if (silent > 0 && silent === running) {
    const fix = `If this does not change within a minute, no worker is running. ${start}`;
    return { status: "warning", message: `${message}; ${silent} on a worker that stopped responding`, fix };
  }
  if (oldestWaitSeconds <= LONG_WAIT_SECONDS) return { status: "ok", message };
  const fix =
    running === 0
      ? `No worker is running. ${start}`
      : "The workers cannot keep up. Start more workers, or raise ERRAND_CONCURRENCY if there is enough memory.";
  return { status: "warning", message, fix };
}

/** Whether messages are sent. Failing receivers do not count: their messages are retried later and not overdue. */
export async function checkWebhooks(database: Database): Promise<Finding> {
  const { waiting, oldestOverdueSeconds } = await readBacklog(database);
  if (waiting === 0) return { status: "ok", message: "Nothing pending" };
  const message = `${waiting === 1 ? "1 message" : `${formatCount(waiting)} messages`} pending`;
  if (oldestOverdueSeconds <= OVERDUE_SECONDS) return { status: "ok", message };
  return {
    status: "warning",
    message: `${message}, the oldest overdue for ${formatDuration(oldestOverdueSeconds)}`,
    fix:
      "Either no worker is running, or a receiver is too slow. Check that a worker runs, and look for deliver-webhook in " +
      "its log.",
  };
}

function formatCount(count: number): string {
  return count < COUNT_LIMIT ? String(count) : `${count} or more`;
}

function formatDuration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${Math.round(seconds / 3_600)} hours` : `${Math.round(seconds / 86_400)} days`;
}
