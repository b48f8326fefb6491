import { CallerError } from "../lib/caller-error.ts";
import { describeError } from "../lib/describe-error.ts";

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

export interface BucketPlace {
  bucket: string;
  endpoint: string | null;
}

/**
 * For whoever asked: try again. Made anew, because what the SDK throws carries the request, and because an error code of a
 * socket would be taken for the database's.
 */
export function toCallerError(error: unknown, place: BucketPlace): CallerError {
  return new CallerError("UNAVAILABLE", "The store of artifacts cannot be used right now. Try again shortly.", {
    retryAfterSeconds: RETRY_SECONDS,
    cause: explain(error, place),
  });
}

export function isMissing(error: unknown): boolean {
  return nameOf(error) === "NoSuchKey";
}

const RETRY_SECONDS = 5;
const REFUSED_KEY = /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken)$/;
const WRONG_REGION = /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/;

function explain(error: unknown, { bucket, endpoint }: BucketPlace): BucketFailure {
  if (error instanceof BucketFailure) return error;
  const where = `The bucket ${bucket} at ${endpoint ?? "Amazon S3"}`;
  const name = nameOf(error);
  const answered = (what: string, fix: string) =>
    new BucketFailure(`${where} ${what} (${name}).`, { fix, isUnreachable: false });
  if (name === "NoSuchBucket") {
    return answered("does not exist", "Create it, or correct ERRAND_ARTIFACTS_S3_BUCKET.");
  }
  if (name === "CredentialsProviderError") {
    return answered("needs a key, and none was found", "Set ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID and its secret.");
  }
  if (REFUSED_KEY.test(name)) {
    return answered(
      "refuses the key",
      "Correct ERRAND_ARTIFACTS_S3_ACCESS_KEY_ID and ERRAND_ARTIFACTS_S3_SECRET_ACCESS_KEY, or the role of this machine.",
    );
  }
  if (statusOf(error) === 403) {
    return answered(
      "does not allow this",
      "Allow the key s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket on this bucket.",
    );
  }
  if (WRONG_REGION.test(name)) {
    return answered("is in another region", "Set ERRAND_ARTIFACTS_S3_REGION to the bucket's own.");
  }
  if (error instanceof Error && error.message.includes("Region is missing")) {
    return answered("has no region", "Set ERRAND_ARTIFACTS_S3_REGION.");
  }
  if (statusOf(error) !== null) {
    return answered("answers with an error", "Look at the store's own log; check ERRAND_ARTIFACTS_S3_ENDPOINT.");
  }
  return new BucketFailure(`${where} cannot be reached: ${describeError(error)}.`, {
    fix: "Check that the store runs, ERRAND_ARTIFACTS_S3_ENDPOINT, and the network between them.",
    isUnreachable: true,
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}

function statusOf(error: unknown): number | null {
  const metadata = error instanceof Error && "$metadata" in error ? error.$metadata : null;
  const isAnswer = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  return isAnswer && typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : null;
}
