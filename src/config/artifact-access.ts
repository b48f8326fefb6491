import type { Settings } from "./settings.ts";

/** A bucket in an S3-compatible store, and how it is reached. */
export interface BucketAccess {
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

const PREFIX = "ERRAND_ARTIFACTS_S3_";

/** Where the settings want artifacts to be kept: null is the data directory. What is missing is added to `problems`. */
export function resolveArtifacts(settings: Settings, problems: string[]): BucketAccess | null {
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
    if (first !== undefined) problems.push(`${PREFIX}BUCKET must be set, because ${PREFIX}${first} is`);
    return null;
  }
  if ((accessKeyId === null) !== (secretAccessKey === null)) {
    const [missing, present] = accessKeyId === null ? KEY_HALVES : KEY_HALVES.toReversed();
    problems.push(`${PREFIX}${missing} must be set, because ${PREFIX}${present} is`);
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

const KEY_HALVES = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY"];
