import type { ArtifactFiles } from "../executions/artifact-store.ts";

/** Artifacts that are being restored: unless they are kept, they are removed again when it is disposed of. */
export interface WrittenArtifacts extends AsyncDisposable, Pick<ArtifactFiles, "write"> {
  keep(): void;
}

export function trackWrites(files: Pick<ArtifactFiles, "write" | "remove">): WrittenArtifacts {
  let written: [executionId: string, artifactId: string][] = [];
  return {
    async write(executionId, artifactId, data) {
      written.push([executionId, artifactId]);
      await files.write(executionId, artifactId, data);
    },
    keep() {
      written = [];
    },
    async [Symbol.asyncDispose]() {
      for (const [executionId, artifactId] of written) {
        // What cannot be removed is led to by nothing; why restoring failed matters more.
        const isRemoved = await files.remove(executionId, artifactId).then(
          () => true,
          () => false,
        );
        if (!isRemoved) return;
      }
    },
  };
}
