import type { ArtifactListing, StoredFile } from "../executions/artifact-store.ts";
import type { RetentionStore } from "./retention-store.ts";

const AT_ONCE = 500;

/**
 * Removes files that no row leads to, such as those of a worker that died between the two; answers how many. Only of
 * executions that are known here: a place that is shared by mistake loses nothing of another installation.
 */
export async function sweepFiles(
  { store, files }: { store: Pick<RetentionStore, "findOrphans">; files: ArtifactListing },
  olderThan: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;

  async function sweep(batch: StoredFile[]): Promise<void> {
    const orphans = new Set(
      (await store.findOrphans(batch, olderThan)).map(({ executionId, artifactId }) => `${executionId} ${artifactId}`),
    );
    const unwanted = batch.filter(({ executionId, artifactId }) => orphans.has(`${executionId} ${artifactId}`));
    await Promise.all(unwanted.map((file) => file.remove()));
    removed += unwanted.length;
  }

  let batch: StoredFile[] = [];
  for await (const file of files.list()) {
    if (signal.aborted) return removed;
    if (file.writtenAt < olderThan) batch.push(file);
    if (batch.length < AT_ONCE) continue;
    await sweep(batch);
    batch = [];
  }
  if (batch.length > 0) await sweep(batch);
  return removed;
}
