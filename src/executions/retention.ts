import type { ArtifactFiles, ArtifactListing, StoredFile } from "./artifacts.ts";

/** Works page by page, so that no statement takes long or locks much. */
export interface RetentionStore {
  /** The database's clock decides what is old: one machine's clock may jump, and removal is final. */
  now(): Promise<Date>;
  /** Executions that ended before this time, oldest first. */
  listEnded(before: Date, page: Page): Promise<string[]>;
  /** Deletes their events and artifact rows, too; the ledger stays. Skips rows that are locked. Returns how many were deleted. */
  deleteEnded(executionIds: readonly string[]): Promise<number>;
  /** Like `listEnded`, but only executions that still have artifacts. */
  listWithArtifacts(before: Date, page: Page): Promise<string[]>;
  /** Their artifacts respond 410 from now on. */
  markExpired(executionIds: readonly string[]): Promise<void>;
  /** Those of these files that no row refers to, of executions that ended before this time. */
  findOrphans(files: readonly ArtifactName[], endedBefore: Date): Promise<ArtifactName[]>;
  /** Deletes up to `limit` sessions, codes and sign-in attempts that expired before this time. Returns how many. */
  deleteExpired(before: Date, limit: number): Promise<number>;
}

interface Page {
  after: string;
  limit: number;
}

export interface ArtifactName {
  executionId: string;
  artifactId: string;
}

/** Sorts before all other ids. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

interface RemovalDependencies {
  store: RetentionStore;
  files: Pick<ArtifactFiles, "removeAll">;
}

const EXECUTIONS_PER_PAGE = 100;

/** Removes executions that ended before this time, with their events and artifacts. Returns how many. */
export async function removeOldExecutions(
  { store, files }: RemovalDependencies,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const ids of listPages((page) => store.listEnded(before, page), signal)) {
    // Ended executions get no new files. Files go first: without its row a file would never be found again.
    await Promise.all(ids.map((id) => files.removeAll(id)));
    removed += await store.deleteEnded(ids);
  }
  return removed;
}

/** Removes the artifacts of executions that ended before this time. Returns how many executions. */
export async function removeOldArtifacts(
  { store, files }: RemovalDependencies,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  for await (const ids of listPages((page) => store.listWithArtifacts(before, page), signal)) {
    // If interrupted before the rows are marked, the next run finds them again.
    await Promise.all(ids.map((id) => files.removeAll(id)));
    await store.markExpired(ids);
    expired += ids.length;
  }
  return expired;
}

/** Stops at the last page or when the process stops; the next run continues. */
async function* listPages(list: (page: Page) => Promise<string[]>, signal: AbortSignal): AsyncGenerator<string[]> {
  let after = FIRST_ID;
  while (!signal.aborted) {
    const ids = await list({ after, limit: EXECUTIONS_PER_PAGE });
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    after = last;
  }
}

const FILES_PER_BATCH = 500;

/**
 * Removes files that no row refers to, such as those of a worker that died before it wrote the row. Returns how many. Only
 * files of executions in this database: if two installations share a bucket by mistake, neither deletes the other's files.
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
    const found = batch.filter(({ executionId, artifactId }) => orphans.has(`${executionId} ${artifactId}`));
    await Promise.all(found.map((file) => file.remove()));
    removed += found.length;
  }

  let batch: StoredFile[] = [];
  for await (const file of files.list()) {
    if (signal.aborted) return removed;
    if (file.writtenAt < olderThan) batch.push(file);
    if (batch.length < FILES_PER_BATCH) continue;
    await sweep(batch);
    batch = [];
  }
  if (batch.length > 0) await sweep(batch);
  return removed;
}
