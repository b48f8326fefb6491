import { Counter } from "prom-client";
import type { ArtifactFiles, ArtifactListing } from "../../executions/artifacts.ts";
import { type BucketOptions, createArtifactBucket } from "./bucket.ts";
import { createArtifactFolder } from "./folder.ts";

interface ArtifactLocation {
  dataDir: string;
  /** Null: the data directory. */
  artifactBucket: BucketOptions | null;
}

/** Opens the configured storage for artifacts. Connections are made on first use; disposing closes them. */
export function openArtifactFiles({
  dataDir,
  artifactBucket,
}: ArtifactLocation): ArtifactFiles & ArtifactListing & Disposable {
  if (artifactBucket !== null) return countArtifactFailures(createArtifactBucket(artifactBucket));
  return countArtifactFailures({ ...createArtifactFolder(dataDir), [Symbol.dispose]() {} });
}

/** It is in the default registry, which /metrics includes. */
const failures = new Counter({
  name: "errand_artifact_failures_total",
  help: "Failed operations on the artifact storage (disk or bucket): write, read or remove.",
  labelNames: ["operation"],
});
for (const operation of ["write", "read", "remove"]) failures.inc({ operation }, 0);

/** Wraps the files and counts failures. A missing file is not a failure. */
function countArtifactFailures<Files extends ArtifactFiles>(files: Files): Files {
  const counted: ArtifactFiles = {
    write: (executionId, artifactId, data) => countFailure("write", files.write(executionId, artifactId, data)),
    open: (executionId, artifactId) => countFailure("read", files.open(executionId, artifactId)),
    remove: (executionId, artifactId) => countFailure("remove", files.remove(executionId, artifactId)),
    removeAll: (executionId) => countFailure("remove", files.removeAll(executionId)),
  };
  return { ...files, ...counted };
}

async function countFailure<Result>(operation: string, use: Promise<Result>): Promise<Result> {
  try {
    return await use;
  } catch (error) {
    failures.inc({ operation });
    throw error;
  }
}
