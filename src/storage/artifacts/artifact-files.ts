import { Counter } from "prom-client";
import type { ArtifactFiles, ArtifactListing } from "../../executions/artifacts.ts";
import { type BucketOptions, createArtifactBucket } from "./bucket.ts";
import { createArtifactFolder } from "./folder.ts";

interface ArtifactLocation {
  dataDir: string;
  /** Null: the data directory. */
  artifactBucket: BucketOptions | null;
}

/** Artifacts where the settings want them. Nothing is opened before it is needed; disposing of it closes what is open. */
export function openArtifactFiles({
  dataDir,
  artifactBucket,
}: ArtifactLocation): ArtifactFiles & ArtifactListing & Disposable {
  if (artifactBucket !== null) return countArtifactFailures(createArtifactBucket(artifactBucket));
  return countArtifactFailures({ ...createArtifactFolder(dataDir), [Symbol.dispose]() {} });
}

/** It stands in the registry of the process, where /metrics finds it. */
const failures = new Counter({
  name: "errand_artifact_failures_total",
  help: "Failed uses of the place for artifacts (disk or bucket) by operation: write, read or remove.",
  labelNames: ["operation"],
});
for (const operation of ["write", "read", "remove"]) failures.inc({ operation }, 0);

/** The same files; what fails is counted. That there is no such file is no failure. */
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
