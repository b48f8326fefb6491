import type { ArtifactFiles, ArtifactListing } from "../executions/artifact-store.ts";
import { type BucketOptions, createArtifactBucket } from "./artifact-bucket.ts";
import { createArtifactFolder } from "./artifact-folder.ts";
import { countArtifactFailures } from "./artifact-metrics.ts";

interface ArtifactPlace {
  dataDir: string;
  /** Null: the data directory. */
  artifactBucket: BucketOptions | null;
}

/** Artifacts where the settings want them. Nothing is opened before it is needed; disposing of it closes what is open. */
export function openArtifactFiles({
  dataDir,
  artifactBucket,
}: ArtifactPlace): ArtifactFiles & ArtifactListing & Disposable {
  if (artifactBucket !== null) return countArtifactFailures(createArtifactBucket(artifactBucket));
  return countArtifactFailures({ ...createArtifactFolder(dataDir), [Symbol.dispose]() {} });
}
