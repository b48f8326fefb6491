import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import type { ArtifactFiles, ArtifactListing, StoredFile } from "../../executions/artifacts.ts";
import { CallerError, describeError } from "../../lib/errors.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import { parseUuid } from "../../lib/uuid.ts";

/** The settings for an S3-compatible bucket. */
export interface BucketOptions {
  bucket: string;
  endpoint: string | null;
  region: string | null;
  prefix: string;
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
  isPathStyle: boolean;
}

const MAX_SOCKETS = 50;
const MAX_ATTEMPTS = 3;
const CONNECT_TIMEOUT_MS = 3_000;
const RESPONSE_TIMEOUT_MS = 15_000;
const MS_PER_MIB = 1_000;
// Generous, because a slow reader on our side also leaves the socket idle.
const IDLE_TIMEOUT_MS = 120_000;
const UNREACHABLE_PAUSE_MS = 15_000;
const MAX_CONCURRENT_REMOVALS = 16;

/** Artifacts as objects `<prefix><execution id>/<artifact id>`. The SDK is loaded on first use. */
export function createArtifactBucket(
  options: BucketOptions,
  { responseTimeoutMs = RESPONSE_TIMEOUT_MS }: { responseTimeoutMs?: number } = {},
): ArtifactFiles & ArtifactListing & Disposable {
  const { bucket } = options;
  let loading: Promise<LoadedBucket> | null = null;
  let unreachableUntilMs = 0;
  // There are few sockets, and waiting for one counts towards the timeout.
  const removals = createSemaphore(MAX_CONCURRENT_REMOVALS);

  async function send<Result>(
    maxMs: number,
    request: (store: LoadedBucket, abortSignal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    loading ??= loadBucket(options);
    const store = await loading;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), maxMs);
    try {
      const result = await request(store, timeout.signal);
      unreachableUntilMs = 0;
      return result;
    } catch (error) {
      const failure = toCallerError(timeout.signal.aborted ? responseTimedOut(options, maxMs) : error, options);
      if (failure.cause instanceof BucketFailure && failure.cause.isUnreachable) {
        unreachableUntilMs = performance.now() + UNREACHABLE_PAUSE_MS;
      }
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  function removeKey(key: string): Promise<void> {
    return removals.take(() =>
      send(responseTimeoutMs, async ({ client, sdk }, abortSignal) => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
      }),
    );
  }

  /** One page of the keys with this prefix. The older list command is used because every store supports it. */
  function listKeys(prefix: string, lastKey: string | undefined): Promise<ListedKeys> {
    return removals.take(() =>
      send(responseTimeoutMs, async ({ client, sdk }, abortSignal) => {
        const listing = new sdk.ListObjectsCommand({ Bucket: bucket, Prefix: prefix, Marker: lastKey });
        const { Contents: objects = [], IsTruncated: isTruncated } = await client.send(listing, { abortSignal });
        const keys = objects.flatMap(({ Key: key }) => key ?? []);
        const writtenAt = new Map(objects.map(({ Key: key = "", LastModified: time }) => [key, time ?? null]));
        return { keys, writtenAt, hasMore: isTruncated === true && keys.length > 0 };
      }),
    );
  }

  async function* listPages(prefix: string): AsyncGenerator<ListedKeys> {
    let page: ListedKeys = { keys: [], writtenAt: new Map(), hasMore: true };
    while (page.hasMore) {
      page = await listKeys(prefix, page.keys.at(-1));
      yield page;
    }
  }

  async function* listFiles(): AsyncGenerator<StoredFile> {
    for await (const { keys, writtenAt } of listPages(options.prefix)) {
      for (const key of keys) {
        const ids = key.slice(options.prefix.length).split("/").map(parseUuid);
        const [executionId = null, artifactId = null] = ids;
        const time = writtenAt.get(key) ?? null;
        if (ids.length !== 2 || executionId === null || artifactId === null || time === null) continue;
        yield { executionId, artifactId, writtenAt: time, remove: () => removeKey(key) };
      }
    }
  }

  return {
    async write(executionId, artifactId, data) {
      // An execution writes dozens of screenshots: it must not wait for each while the store is unreachable.
      if (performance.now() < unreachableUntilMs) throw toCallerError(recentlyUnreachable(options), options);
      const key = objectKey(options, executionId, artifactId);
      await send(
        responseTimeoutMs + (data.byteLength / 1024 ** 2) * MS_PER_MIB,
        async ({ client, sdk }, abortSignal) => {
          await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: data }), { abortSignal });
        },
      );
    },

    open: (executionId, artifactId) =>
      send(responseTimeoutMs, async ({ client, sdk }, abortSignal) => {
        const getting = new sdk.GetObjectCommand({ Bucket: bucket, Key: objectKey(options, executionId, artifactId) });
        try {
          const { Body: body } = await client.send(getting, { abortSignal });
          if (!(body instanceof Readable)) throw new Error("The store sent no stream");
          return body;
        } catch (error) {
          if (isMissingObject(error)) return null;
          throw error;
        }
      }),

    remove: (executionId, artifactId) => removeKey(objectKey(options, executionId, artifactId)),

    // One by one: stores differ in the limits and checksums of batch deletes.
    async removeAll(executionId) {
      const prefix = objectKey(options, executionId, "");
      for await (const { keys } of listPages(prefix)) await Promise.all(keys.map(removeKey));
    },

    list: listFiles,

    [Symbol.dispose]() {
      loading?.then(
        ({ client }) => client.destroy(),
        () => {},
      );
    },
  };
}

interface ListedKeys {
  keys: string[];
  /** By key. Null if the store does not report it. */
  writtenAt: ReadonlyMap<string, Date | null>;
  hasMore: boolean;
}

interface LoadedBucket {
  sdk: typeof import("@aws-sdk/client-s3");
  client: S3Client;
}

async function loadBucket({ endpoint, region, credentials, isPathStyle }: BucketOptions): Promise<LoadedBucket> {
  const sdk = await import("@aws-sdk/client-s3");
  const usedRegion = region ?? (endpoint === null ? null : "us-east-1");
  const client = new sdk.S3Client({
    ...(endpoint === null ? {} : { endpoint }),
    ...(usedRegion === null ? {} : { region: usedRegion }),
    ...(credentials === null ? {} : { credentials }),
    forcePathStyle: isPathStyle,
    maxAttempts: MAX_ATTEMPTS,
    // Older stores reject the new checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
  });
  return { sdk, client };
}

/** The ids are our own. Checked again, because they form the prefix for deletes. */
function objectKey({ prefix }: BucketOptions, executionId: string, artifactId: string): string {
  const ids = artifactId === "" ? [executionId] : [executionId, artifactId];
  if (ids.some((id) => parseUuid(id) === null)) throw new Error("The id of an artifact is not a UUID");
  return `${prefix}${executionId}/${artifactId}`;
}

function responseTimedOut(options: BucketOptions, maxMs: number): BucketFailure {
  return unreachable(options, `did not respond within ${Math.round(maxMs / 1_000)} s`);
}

function recentlyUnreachable(options: BucketOptions): BucketFailure {
  return unreachable(options, "could not be reached a moment ago");
}

function unreachable({ bucket, endpoint }: BucketOptions, what: string): BucketFailure {
  return new BucketFailure(`The bucket ${bucket} at ${endpoint ?? "Amazon S3"} ${what}.`, {
    fix: "Check that the store is running, that ERRAND_ARTIFACTS_S3_ENDPOINT is right, and the network in between.",
    isUnreachable: true,
  });
}

/** Why a bucket cannot be used, and how to fix it. For the operator, in the log and in `errand doctor`. */
export class BucketFailure extends Error {
  readonly fix: string;
  /** Whether there was no response at all. The next attempt would wait in vain, too. */
  readonly isUnreachable: boolean;

  constructor(message: string, { fix, isUnreachable }: { fix: string; isUnreachable: boolean }) {
    super(message);
    this.name = "BucketFailure";
    this.fix = fix;
    this.isUnreachable = isUnreachable;
  }
}

interface BucketLocation {
  bucket: string;
  endpoint: string | null;
}

/**
 * The error for the caller: try again. The SDK's own error is not passed on: it contains the request, and its socket error code
 * would look like one of the database.
 */
function toCallerError(error: unknown, location: BucketLocation): CallerError {
  return new CallerError("UNAVAILABLE", "Artifacts are not available right now. Try again shortly.", {
    retryAfterSeconds: RETRY_SECONDS,
    cause: toBucketFailure(error, location),
  });
}

function isMissingObject(error: unknown): boolean {
  return errorName(error) === "NoSuchKey";
}

const RETRY_SECONDS = 5;
const REJECTED_KEY_ERRORS = /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken)$/;
const WRONG_REGION_ERRORS = /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/;

function toBucketFailure(error: unknown, { bucket, endpoint }: BucketLocation): BucketFailure {
  if (error instanceof BucketFailure) return error;
  const where = `The bucket ${bucket} at ${endpoint ?? "Amazon S3"}`;
  const name = errorName(error);
  const rejected = (what: string, fix: string) =>
    new BucketFailure(`${where} ${what} (${name}).`, { fix, isUnreachable: false });
  if (name === "NoSuchBucket") {
    return rejected("does not exist", "Create it, or correct ERRAND_ARTIFACTS_S3_BUCKET.");
  }
  if (name === "CredentialsProviderError") {
    return rejected(
      "requires an access key, and none was found",
      "Set ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID and its secret.",
    );
  }
  if (REJECTED_KEY_ERRORS.test(name)) {
    return rejected(
      "rejects the access key",
      "Correct ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID and ERRAND_ARTIFACTS_S3_SECRET_ACCESS_KEY, or the role of this machine.",
    );
  }
  if (httpStatus(error) === 403) {
    return rejected(
      "denies access",
      "Allow the key s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket on this bucket.",
    );
  }
  if (WRONG_REGION_ERRORS.test(name)) {
    return rejected("is in another region", "Set ERRAND_ARTIFACTS_S3_REGION to the region of the bucket.");
  }
  if (error instanceof Error && error.message.includes("Region is missing")) {
    return rejected("needs a region", "Set ERRAND_ARTIFACTS_S3_REGION.");
  }
  if (httpStatus(error) !== null) {
    return rejected("responds with an error", "Check the log of the store, and ERRAND_ARTIFACTS_S3_ENDPOINT.");
  }
  return new BucketFailure(`${where} cannot be reached: ${describeError(error)}.`, {
    fix: "Check that the store is running, that ERRAND_ARTIFACTS_S3_ENDPOINT is right, and the network in between.",
    isUnreachable: true,
  });
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}

function httpStatus(error: unknown): number | null {
  const metadata = error instanceof Error && "$metadata" in error ? error.$metadata : null;
  const hasStatus = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  return hasStatus && typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : null;
}
