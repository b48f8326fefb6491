import { Counter } from "prom-client";
import type { ArtifactFiles } from "../executions/artifact-store.ts";

/** It stands in the registry of the process, where /metrics finds it. */
const failures = new Counter({
  name: "errand_artifact_failures_total",
  help: "Failed uses of the place for artifacts (disk or bucket) by operation: write, read or remove.",
  labelNames: ["operation"],
});
for (const operation of ["write", "read", "remove"]) failures.inc({ operation }, 0);

/** The same files; what fails is counted. That there is no such file is no failure. */
export function countArtifactFailures<Files extends ArtifactFiles>(files: Files): Files {
  const counted: ArtifactFiles = {
    write: (executionId, artifactId, data) => count("write", files.write(executionId, artifactId, data)),
    open: (executionId, artifactId) => count("read", files.open(executionId, artifactId)),
    remove: (executionId, artifactId) => count("remove", files.remove(executionId, artifactId)),
    removeAll: (executionId) => count("remove", files.removeAll(executionId)),
  };
  return { ...files, ...counted };
}

async function count<Result>(operation: string, use: Promise<Result>): Promise<Result> {
  try {
    return await use;
  } catch (error) {
    failures.inc({ operation });
    throw error;
  }
}
