import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import type { ArtifactFiles, ArtifactListing, StoredFile } from "../../executions/artifacts.ts";
import { CallerError, describeError } from "../../lib/errors.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import { parseUuid } from "../../lib/uuid.ts";

/** A bucket and how it is reached, as the settings have it. */
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
// A slow reader at our end keeps the store's socket idle, too.
const IDLE_TIMEOUT_MS = 120_000;
const UNREACHABLE_PAUSE_MS = 15_000;
const MAX_CONCURRENT_REMOVALS = 16;

/** Artifacts as objects `<prefix><execution id>/<artifact id>`. Nothing is loaded or connected before it is needed. */
export function createArtifactBucket(
  options: BucketOptions,
  { answerMs = RESPONSE_TIMEOUT_MS }: { answerMs?: number } = {},
): ArtifactFiles & ArtifactListing & Disposable {
  const { bucket } = options;
  let loading: Promise<LoadedBucket> | null = null;
  let awayUntilMs = 0;
  // However many are to be removed: the sockets are few, and time spent waiting for one would count as silence.
  const removals = createSemaphore(MAX_CONCURRENT_REMOVALS);

  async function ask<Result>(
    maxMs: number,
    request: (store: LoadedBucket, abortSignal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    loading ??= loadBucket(options);
    const store = await loading;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), maxMs);
    try {
      const result = await request(store, late.signal);
      awayUntilMs = 0;
      return result;
    } catch (error) {
      const failure = toCallerError(late.signal.aborted ? responseTimedOut(options, maxMs) : error, options);
      if (failure.cause instanceof BucketFailure && failure.cause.isUnreachable) {
        awayUntilMs = performance.now() + UNREACHABLE_PAUSE_MS;
      }
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  function removeKey(key: string): Promise<void> {
    return removals.take(() =>
      ask(answerMs, async ({ client, sdk }, abortSignal) => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
      }),
    );
  }

  /** One page of the objects whose names begin so, in the older of two ways, which every store knows. */
  function listKeys(prefix: string, lastKey: string | undefined): Promise<ListedKeys> {
    return removals.take(() =>
      ask(answerMs, async ({ client, sdk }, abortSignal) => {
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
      // A run keeps dozens of pictures: it does not wait for each while the store is away.
      if (performance.now() < awayUntilMs) throw toCallerError(recentlyUnreachable(options), options);
      const key = objectKey(options, executionId, artifactId);
      await ask(answerMs + (data.byteLength / 1024 ** 2) * MS_PER_MIB, async ({ client, sdk }, abortSignal) => {
        await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: data }), { abortSignal });
      });
    },

    open: (executionId, artifactId) =>
      ask(answerMs, async ({ client, sdk }, abortSignal) => {
        const getting = new sdk.GetObjectCommand({ Bucket: bucket, Key: objectKey(options, executionId, artifactId) });
        try {
          const { Body: body } = await client.send(getting, { abortSignal });
          if (!(body instanceof Readable)) throw new Error("the store sent no stream");
          return body;
        } catch (error) {
          if (isMissingObject(error)) return null;
          throw error;
        }
      }),

    remove: (executionId, artifactId) => removeKey(objectKey(options, executionId, artifactId)),

    // One by one: stores differ in how many may be deleted with one request, and by which checksum.
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
  /** By key; null where the store does not say. */
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
    // Stores that are older than these checksums refuse them.
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

/** All are ids of ours; checked once more, because what is removed is told by its prefix. */
function objectKey({ prefix }: BucketOptions, executionId: string, artifactId: string): string {
  const ids = artifactId === "" ? [executionId] : [executionId, artifactId];
  if (ids.some((id) => parseUuid(id) === null)) throw new Error("an artifact's id is no UUID");
  return `${prefix}${executionId}/${artifactId}`;
}

function responseTimedOut(place: BucketOptions, maxMs: number): BucketFailure {
  return unreachable(place, `did not answer within ${Math.round(maxMs / 1_000)} s`);
}

function recentlyUnreachable(place: BucketOptions): BucketFailure {
  return unreachable(place, "could not be reached a moment ago");
}

function unreachable({ bucket, endpoint }: BucketOptions, what: string): BucketFailure {
  return new BucketFailure(`The bucket ${bucket} at ${endpoint ?? "Amazon S3"} ${what}.`, {
    fix: "Check that the store runs, ERRAND_ARTIFACTS_S3_ENDPOINT, and the network between them.",
    isUnreachable: true,
  });
}

/** What keeps a bucket from being used, and how to mend it: for the operator, in the log and in `errand doctor`. */
export class BucketFailure extends Error {
  readonly fix: string;
  /** Whether nobody answered, so that the next one who asks would wait in vain as well. */
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
 * For whoever asked: try again. Made anew, because what the SDK throws carries the request, and because an error code of a
 * socket would be taken for the database's.
 */
function toCallerError(error: unknown, place: BucketLocation): CallerError {
  return new CallerError("UNAVAILABLE", "The store of artifacts cannot be used right now. Try again shortly.", {
    retryAfterSeconds: RETRY_SECONDS,
    cause: toBucketFailure(error, place),
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
  const answered = (what: string, fix: string) =>
    new BucketFailure(`${where} ${what} (${name}).`, { fix, isUnreachable: false });
  if (name === "NoSuchBucket") {
    return answered("does not exist", "Create it, or correct ERRAND_ARTIFACTS_S3_BUCKET.");
  }
  if (name === "CredentialsProviderError") {
    return answered("needs a key, and none was found", "Set ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID and its secret.");
  }
  if (REJECTED_KEY_ERRORS.test(name)) {
    return answered(
      "refuses the key",
      "Correct ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID and ERRAND_ARTIFACTS_S3_SECRET_ACCESS_KEY, or the role of this machine.",
    );
  }
  if (httpStatus(error) === 403) {
    return answered(
      "does not allow this",
      "Allow the key s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket on this bucket.",
    );
  }
  if (WRONG_REGION_ERRORS.test(name)) {
    return answered("is in another region", "Set ERRAND_ARTIFACTS_S3_REGION to the bucket's own.");
  }
  if (error instanceof Error && error.message.includes("Region is missing")) {
    return answered("has no region", "Set ERRAND_ARTIFACTS_S3_REGION.");
  }
  if (httpStatus(error) !== null) {
    return answered("answers with an error", "Look at the store's own log; check ERRAND_ARTIFACTS_S3_ENDPOINT.");
  }
  return new BucketFailure(`${where} cannot be reached: ${describeError(error)}.`, {
    fix: "Check that the store runs, ERRAND_ARTIFACTS_S3_ENDPOINT, and the network between them.",
    isUnreachable: true,
  });
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}

function httpStatus(error: unknown): number | null {
  const metadata = error instanceof Error && "$metadata" in error ? error.$metadata : null;
  const isAnswer = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  return isAnswer && typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : null;
}
