import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import type { ArtifactFiles, ArtifactListing, StoredFile } from "../executions/artifact-store.ts";
import { createTurns } from "../lib/turns.ts";
import { parseUuid } from "../lib/uuid.ts";
import { BucketFailure, isMissing, toCallerError } from "./bucket-failure.ts";

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
const CONNECT_MS = 3_000;
const ANSWER_MS = 15_000;
const MS_PER_MIB = 1_000;
// A slow reader at our end keeps the store's socket idle, too.
const SILENCE_MS = 120_000;
const AWAY_MS = 15_000;
const MAX_REMOVALS_AT_ONCE = 16;

/** Artifacts as objects `<prefix><execution id>/<artifact id>`. Nothing is loaded or connected before it is needed. */
export function createArtifactBucket(
  options: BucketOptions,
  { answerMs = ANSWER_MS }: { answerMs?: number } = {},
): ArtifactFiles & ArtifactListing & Disposable {
  const { bucket } = options;
  let loading: Promise<LoadedBucket> | null = null;
  let awayUntilMs = 0;
  // However many are to be removed: the sockets are few, and time spent waiting for one would count as silence.
  const removals = createTurns(MAX_REMOVALS_AT_ONCE);

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
      const failure = toCallerError(late.signal.aborted ? noAnswer(options, maxMs) : error, options);
      if (failure.cause instanceof BucketFailure && failure.cause.isUnreachable) {
        awayUntilMs = performance.now() + AWAY_MS;
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
      if (performance.now() < awayUntilMs) throw toCallerError(stillAway(options), options);
      const key = keyOf(options, executionId, artifactId);
      await ask(answerMs + (data.byteLength / 1024 ** 2) * MS_PER_MIB, async ({ client, sdk }, abortSignal) => {
        await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: data }), { abortSignal });
      });
    },

    open: (executionId, artifactId) =>
      ask(answerMs, async ({ client, sdk }, abortSignal) => {
        const getting = new sdk.GetObjectCommand({ Bucket: bucket, Key: keyOf(options, executionId, artifactId) });
        try {
          const { Body: body } = await client.send(getting, { abortSignal });
          if (!(body instanceof Readable)) throw new Error("the store sent no stream");
          return body;
        } catch (error) {
          if (isMissing(error)) return null;
          throw error;
        }
      }),

    remove: (executionId, artifactId) => removeKey(keyOf(options, executionId, artifactId)),

    // One by one: stores differ in how many may be deleted with one request, and by which checksum.
    async removeAll(executionId) {
      const prefix = keyOf(options, executionId, "");
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
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
  });
  return { sdk, client };
}

/** All are ids of ours; checked once more, because what is removed is told by its prefix. */
function keyOf({ prefix }: BucketOptions, executionId: string, artifactId: string): string {
  const ids = artifactId === "" ? [executionId] : [executionId, artifactId];
  if (ids.some((id) => parseUuid(id) === null)) throw new Error("an artifact's id is no UUID");
  return `${prefix}${executionId}/${artifactId}`;
}

function noAnswer(place: BucketOptions, maxMs: number): BucketFailure {
  return unreachable(place, `did not answer within ${Math.round(maxMs / 1_000)} s`);
}

function stillAway(place: BucketOptions): BucketFailure {
  return unreachable(place, "could not be reached a moment ago");
}

function unreachable({ bucket, endpoint }: BucketOptions, what: string): BucketFailure {
  return new BucketFailure(`The bucket ${bucket} at ${endpoint ?? "Amazon S3"} ${what}.`, {
    fix: "Check that the store runs, ERRAND_ARTIFACTS_S3_ENDPOINT, and the network between them.",
    isUnreachable: true,
  });
}
