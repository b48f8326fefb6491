import type { ArtifactFiles, ArtifactListing, StoredFile } from "./artifacts.ts";

/** Everything by pages, so that no statement takes long or holds much. */
export interface RetentionStore {
  /** By this clock things are old: that of a single machine may jump, and what is removed does not come back. */
  now(): Promise<Date>;
  /** Executions that ended before this time, the oldest first, after this one. */
  listEnded(before: Date, page: Page): Promise<string[]>;
  /** With their events and the rows of their artifacts; the ledger stays. One that is being looked after by others is passed over. */
  deleteEnded(executionIds: readonly string[]): Promise<number>;
  /** As `listEnded`, but only those that still have artifacts. */
  listWithArtifacts(before: Date, page: Page): Promise<string[]>;
  /** What is asked for them is answered as gone from now on. */
  markExpired(executionIds: readonly string[]): Promise<void>;
  /** Which of these files nobody can ask for, of executions that ended before this time. */
  findOrphans(files: readonly ArtifactName[], endedBefore: Date): Promise<ArtifactName[]>;
  /** Sessions, codes and attempts that expired before this time: some of them, and how many. */
  forgetExpired(before: Date, limit: number): Promise<number>;
}

interface Page {
  after: string;
  limit: number;
}

export interface ArtifactName {
  executionId: string;
  artifactId: string;
}

/** Before all others. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

interface RemovalDependencies {
  store: RetentionStore;
  files: Pick<ArtifactFiles, "removeAll">;
}

const EXECUTIONS_PER_PAGE = 100;

/** Removes executions that ended before this time, with all that they have kept; answers how many. */
export async function removeOldExecutions(
  { store, files }: RemovalDependencies,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const ids of listPages((page) => store.listEnded(before, page), signal)) {
    // What has ended gains no more files. They go before the rows that lead to them.
    await Promise.all(ids.map((id) => files.removeAll(id)));
    removed += await store.deleteEnded(ids);
  }
  return removed;
}

/** Removes the files of executions that ended before this time; answers of how many. */
export async function removeOldArtifacts(
  { store, files }: RemovalDependencies,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  for await (const ids of listPages((page) => store.listWithArtifacts(before, page), signal)) {
    // If this is broken off before they are marked, they are found again.
    await Promise.all(ids.map((id) => files.removeAll(id)));
    await store.markExpired(ids);
    expired += ids.length;
  }
  return expired;
}

/** Until there are no more, or the process is about to end: the next time does the rest. */
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
    if (batch.length < FILES_PER_BATCH) continue;
    await sweep(batch);
    batch = [];
  }
  if (batch.length > 0) await sweep(batch);
  return removed;
}
