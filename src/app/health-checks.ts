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
import { BucketFailure } from "../storage/artifacts/bucket.ts";
import type { Database } from "../storage/database.ts";
import { countSealed } from "../storage/sql/key-rotation.ts";
import { createQueueGauge } from "../storage/sql/queue.ts";
import { readBacklog } from "../storage/sql/webhook-deliveries.ts";

/** What one look at the installation finds: for `errand doctor` and for the console. */
export interface Finding {
  status: "ok" | "warning" | "problem";
  message: string;
  /** What to do about it. */
  fix?: string;
}

const MIN_FREE_BYTES = 1024 ** 3;

export function checkSettings({ warnings, publicUrl, secretKey, databaseUrl }: Config): Finding {
  if (warnings.length > 0)
    return { status: "warning", message: warnings.join("; "), fix: "Correct the name or remove it." };
  if (databaseUrl !== null && secretKey === null) {
    return {
      status: "warning",
      message: "ERRAND_SECRET_KEY is not set, so each machine on this database would make its own.",
      fix: "Set the same ERRAND_SECRET_KEY wherever Errand runs on this database.",
    };
  }
  return { status: "ok", message: `people and applications use ${publicUrl}` };
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
    : { status: "warning", message, fix: "Free some space, or keep less with ERRAND_KEEP_ARTIFACTS_DAYS." };
}

/** Writes something, reads it and removes it, as a run, a caller and a deletion do. */
export async function checkArtifacts(config: Config, files: ArtifactFiles): Promise<Finding> {
  const { artifactBucket, dataDir } = config;
  const [executionId, artifactId, written] = [randomUUID(), randomUUID(), randomBytes(64)];
  try {
    await files.write(executionId, artifactId, written);
    const content = await files.open(executionId, artifactId);
    const isSame = content !== null && written.equals(await buffer(content));
    await files.removeAll(executionId);
    if (!isSame) throw new Error("What was written could not be read again.");
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof BucketFailure ? error.cause : null;
    return {
      status: "problem",
      message: describeError(cause ?? error),
      fix: cause?.fix ?? "Artifacts must be writable here: without a place for them no execution is run.",
    };
  }
  const message = `can be written, read and removed in ${
    artifactBucket === null ? dataDir : `the bucket ${artifactBucket.bucket}`
  }`;
  return checkLocalArtifacts(config, message) ?? { status: "ok", message };
}

/** Null where artifacts are found by every process, or the embedded database keeps them all on one machine anyway. */
export function checkLocalArtifacts({ artifactBucket, databaseUrl }: Config, message = "artifacts"): Finding | null {
  if (databaseUrl === null || artifactBucket !== null) return null;
  return {
    status: "warning",
    message: `${message}: they are kept on this machine's disk, where processes on other machines do not find them`,
    fix: "Set ERRAND_ARTIFACTS_S3_BUCKET in every process, or run all of them on this data directory.",
  };
}

const OTLP_TIMEOUT_MS = 5_000;

/** Sends nothing, to where traces go. Runs do without it: a warning at most. */
export async function checkTraces({ otlpEndpoint }: Config): Promise<Finding> {
  if (otlpEndpoint === null) return { status: "ok", message: "off: ERRAND_OTLP_ENDPOINT is not set" };
  const url = `${otlpEndpoint.replace(/\/+$/, "")}/v1/traces`;
  const fix = "Check ERRAND_OTLP_ENDPOINT, and that the collector takes OTLP over HTTP. Until then traces are lost.";
  try {
    const { ok, status } = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"resourceSpans":[]}',
      redirect: "error",
      signal: AbortSignal.timeout(OTLP_TIMEOUT_MS),
    });
    if (ok) return { status: "ok", message: `taken at ${new URL(url).host}` };
    return { status: "warning", message: `${new URL(url).host} answers ${status}`, fix };
  } catch (error) {
    const reason = describeError(error instanceof Error && error.cause !== undefined ? error.cause : error);
    return { status: "warning", message: `${new URL(url).host} cannot be reached: ${reason}`, fix };
  }
}

/** `checkReady` starts one for real: one that is there but cannot run is the usual trouble. */
export async function checkBrowser(config: Config, checkReady: () => Promise<void>): Promise<Finding> {
  await checkReady();
  const { browserPath, browserCdpUrls } = config;
  if (browserCdpUrls.length > 0) {
    const places = browserCdpUrls.map((url) => new URL(url).host).join(", ");
    return {
      status: "ok",
      message: `remote, at ${places}${browserCdpUrls.length === 1 ? "" : ", one of them"}, answers`,
    };
  }
  const browser = await locateBrowser({ explicitPath: browserPath, searchPath: readEnvironment()["PATH"] ?? "" });
  return { status: "ok", message: `${browser?.path} starts` };
}

export function checkWorker({ concurrency, maxSteps, maxMinutes, allowHosts, databasePoolSize }: Config): Finding {
  const limits = `${concurrency} at a time, each at most ${maxSteps} steps and ${maxMinutes} min`;
  const reach = allowHosts.length === 0 ? "no private host may be reached" : `may also reach ${allowHosts.join(", ")}`;
  const message = `${limits}; ${reach}`;
  // Each run may hold a connection while others wait for one.
  if (databasePoolSize > concurrency) return { status: "ok", message };
  return {
    status: "warning",
    message: `${message}; ${databasePoolSize} database connections are few for that`,
    fix: "Set ERRAND_DATABASE_POOL_SIZE higher than ERRAND_CONCURRENCY.",
  };
}

/** Whether everything that is sealed can be opened with the master keys that are here. Makes no key. */
export async function checkKeys(database: Database, config: Config): Promise<Finding> {
  const keyIds = listKeyIds(config);
  const sealed = await countSealed(database);
  const missing = sealed.filter(({ keyId }) => !keyIds.includes(keyId));
  if (missing.length > 0) return describeMissing(missing, config);
  const [current] = keyIds;
  if (current === undefined) return { status: "ok", message: "none yet: the first start makes a master key" };
  const others = keyIds.length === 1 ? "" : `, and ${keyIds.length - 1} older`;
  return { status: "ok", message: `${current}${others}: whatever is sealed can be opened` };
}

function describeMissing(missing: Awaited<ReturnType<typeof countSealed>>, { secretKey, dataDir }: Config): Finding {
  const signIns = missing.reduce((sum, one) => sum + one.signIns, 0);
  const webhooks = missing.reduce((sum, one) => sum + one.webhooks, 0);
  const ids = missing.map(({ keyId }) => keyId).join(", ");
  return {
    status: "problem",
    message:
      `${signIns} saved sign-ins and the secrets of ${webhooks} webhooks cannot be opened, ` +
      `because they are sealed with master keys that are not here: ${ids}`,
    fix:
      secretKey === null
        ? `Put your copy of them into ${dataDir}/secret.key, one key a line, or into ERRAND_OTHER_SECRET_KEYS; then restart.`
        : "Set ERRAND_SECRET_KEY as it was, or add them to ERRAND_OTHER_SECRET_KEYS in every process; then restart.",
  };
}

/** Further than this neither is counted. */
const COUNT_LIMIT = 10_000;
const LONG_WAIT_SECONDS = 60;
/** As the alert says. */
const OVERDUE_SECONDS = 600;

/** Whether somebody works: executions that wait for a worker, and those whose worker has gone silent. */
export async function checkQueue(database: Database): Promise<Finding> {
  const { waiting, running, silent, oldestWaitSeconds } = await createQueueGauge(database).look();
  const oldest = oldestWaitSeconds === 0 ? "" : `, the next in turn for ${describeSeconds(oldestWaitSeconds)}`;
  const message = `${running} running, ${describeCount(waiting)} waiting${oldest}`;
  if (silent > 0 && silent === running) {
    const fix = "If it stays so, nobody is there to end them. Start a worker: errand start --roles worker.";
    return { status: "warning", message: `${message}; ${silent} of a worker that has gone silent`, fix };
  }
  if (oldestWaitSeconds <= LONG_WAIT_SECONDS) return { status: "ok", message };
  const fix =
    running === 0
      ? "Nobody takes them. Start a worker: errand start --roles worker."
      : "The workers do not keep up. Start more of them, or raise ERRAND_CONCURRENCY where there is memory.";
  return { status: "warning", message, fix };
}

/** Whether messages go out. That a receiver fails is its owner's business: it is tried again later, and is not overdue. */
export async function checkWebhooks(database: Database): Promise<Finding> {
  const { waiting, oldestOverdueSeconds } = await readBacklog(database);
  if (waiting === 0) return { status: "ok", message: "no message waits" };
  const message =
    waiting === 1
      ? "1 message waits for its next attempt"
      : `${describeCount(waiting)} messages wait for their next attempt`;
  if (oldestOverdueSeconds <= OVERDUE_SECONDS) return { status: "ok", message };
  return {
    status: "warning",
    message: `${message}; the first has been due for ${describeSeconds(oldestOverdueSeconds)}`,
    fix:
      "No worker sends them, or receivers are too slow for what they get: look whether a worker runs, and what its log " +
      "says of deliver-webhook.",
  };
}

function describeCount(count: number): string {
  return count < COUNT_LIMIT ? String(count) : `${count} or more`;
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${Math.round(seconds / 3_600)} hours` : `${Math.round(seconds / 86_400)} days`;
}
